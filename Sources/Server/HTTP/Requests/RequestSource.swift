internal import NIOHTTP1

/// Who sent a request, as far as the connection and a trusted proxy tell.
struct RequestSource {
    /// The address of the browser.
    let address: String
    /// Whether the browser uses TLS, as a proxy reports it.
    let isSecure: Bool
    /// The user that a proxy has authenticated; empty if that is not clear: no token has this name.
    let user: String?
    let isFromProxy: Bool
    /// The host that the browser has asked. A proxy may ask the console by another name.
    let host: String?

    /// The longest address that a proxy may write: an IPv6 address with a zone.
    private static let maxAddressBytes = 64

    /// - Parameter peer: the address of the other end of the connection.
    init(_ head: HTTPRequestHead, peer: String, _ proxies: ProxySettings) {
        let peer = Self.withoutMapping(peer)
        isFromProxy = proxies.addresses.contains(peer)
        let asked = head.headers.first(name: "Host")
        guard isFromProxy else {
            (address, isSecure, user, host) = (peer, false, nil, asked)
            return
        }
        host = head.headers.first(name: "X-Forwarded-Host") ?? asked
        // Each proxy adds the address of its peer at the end. The last one that is no trusted proxy is the
        // client's. Entries before it come from the client and are not trusted.
        let forwarded = head.headers[canonicalForm: "X-Forwarded-For"].map { Self.withoutMapping(String($0)) }
        let client = forwarded.last { !proxies.addresses.contains($0) }
        address = client.flatMap { (1...Self.maxAddressBytes).contains($0.utf8.count) ? $0 : nil } ?? peer
        isSecure = head.headers.first(name: "X-Forwarded-Proto")?.lowercased() == "https"
        // If the header occurs twice, one may come from the browser, so both are rejected.
        let users = proxies.userHeader.map { head.headers[$0] } ?? []
        user = users.isEmpty ? nil : users.count == 1 ? users[0] : ""
    }

    /// An IPv4 address without the prefix that it has where one socket is for both protocols.
    static func withoutMapping(_ address: String) -> String {
        let prefix = "::ffff:"
        guard address.hasPrefix(prefix), RequestRules.isIPv4(String(address.dropFirst(prefix.count))) else {
            return address
        }
        return String(address.dropFirst(prefix.count))
    }
}
