internal import NIOHTTP1

/// Who sent a request, as far as the connection and a trusted proxy tell.
struct RequestSource {
    /// The address of the browser.
    let address: String
    /// Whether the browser uses TLS, as a proxy reports it.
    let isSecure: Bool
    /// The user that a proxy has authenticated.
    let user: String?
    let isFromProxy: Bool

    /// - Parameter peer: the address of the other end of the connection.
    init(_ head: HTTPRequestHead, peer: String, _ proxies: ProxySettings) {
        isFromProxy = proxies.addresses.contains(peer)
        guard isFromProxy else {
            (address, isSecure, user) = (peer, false, nil)
            return
        }
        // The last entry is the proxy's own; those before it are the browser's word.
        let forwarded = head.headers[canonicalForm: "X-Forwarded-For"].last.map(String.init)
        address = forwarded ?? peer
        isSecure = head.headers.first(name: "X-Forwarded-Proto")?.lowercased() == "https"
        user = proxies.userHeader.flatMap { head.headers.first(name: $0) }
    }
}

/// Proxies in front of the console.
package struct ProxySettings: Sendable {
    /// Addresses of proxies whose headers are believed.
    package var addresses: Set<String>
    /// The header in which a proxy names the user that it has authenticated: the name of a token.
    package var userHeader: String?
    /// Whether requests that do not come from a proxy are refused.
    package var isRequired: Bool

    package init(addresses: Set<String> = [], userHeader: String? = nil, isRequired: Bool = false) {
        (self.addresses, self.userHeader, self.isRequired) = (addresses, userHeader, isRequired)
    }
}
