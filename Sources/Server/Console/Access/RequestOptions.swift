/// Which requests a server takes, and which of them need no token.
package struct RequestOptions: Sendable {
    /// Addresses of proxies whose headers are believed.
    let proxies: Set<String>
    /// The header in which a proxy names the user that it has authenticated: the name of a token.
    let userHeader: String?
    /// Whether only requests of proxies are taken: they admit people themselves.
    let isForProxiesOnly: Bool
    /// Names by which browsers reach the server, beside addresses and `localhost`; in lower case.
    let publicHosts: Set<String>
    /// Whether requests of this machine need no token (``RequestSource/isLocal``).
    package let localhostIsOpen: Bool

    /// - Parameters:
    ///   - listensElsewhere: whether the server can be reached over a network.
    ///   - opensLocalhost: requests of this machine need no token, wherever the server listens.
    package init(
        proxies: Set<String> = [], userHeader: String? = nil, isForProxiesOnly: Bool = false,
        publicHosts: [String] = [], listensElsewhere: Bool = false, opensLocalhost: Bool = false
    ) {
        (self.proxies, self.userHeader, self.isForProxiesOnly) = (proxies, userHeader, isForProxiesOnly)
        self.publicHosts = Set(publicHosts.map { $0.lowercased() })
        localhostIsOpen = opensLocalhost || (!listensElsewhere && proxies.isEmpty)
    }

    /// Whether requests of proxies need no token while there is none. The user that a proxy names is the name
    /// of a token.
    package var opensProxies: Bool { isForProxiesOnly && userHeader == nil }
}
