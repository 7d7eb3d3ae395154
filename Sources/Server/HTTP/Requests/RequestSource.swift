internal import NIOCore
internal import NIOHTTP1

/// Who sent a request, as far as the connection and a trusted proxy tell.
struct RequestSource {
    /// Whose connections, pages and streams are counted together; nil: those of a proxy are not counted.
    let network: String?
    let isFromProxy: Bool
    /// Whether the browser uses TLS, as a proxy reports it.
    let isSecure: Bool
    /// The user that a proxy has authenticated; empty if that is not clear: no token has this name.
    let user: String?
    /// The host that the browser has asked. A proxy may ask the console by another name.
    let host: String?
    /// Whether the host is an address, `localhost`, or a name that the console was told. A browser of this
    /// machine may come from the same address as a proxy of this machine; those of others do not.
    let hasExpectedHost: Bool
    /// Whether a browser or a program of this machine asks this machine, and no proxy is in between.
    let isLocal: Bool
    /// Whether a page of another site made the request, as its browser tells.
    let isOfOtherSite: Bool
    /// Of this console only: a browser sends the cookies of a host to all ports of it.
    let cookieName: String

    /// The headers by which a proxy tells that it is one.
    private static let ofProxies = [
        "Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP",
    ]

    /// - Parameters:
    ///   - peer: the address of the other end of the connection.
    ///   - port: of this end.
    init(_ head: HTTPRequestHead, peer: String, port: Int, _ options: RequestOptions) {
        let peer = Self.withoutMapping(peer)
        isFromProxy = options.proxies.contains(peer)
        network = isFromProxy ? nil : RequestRules.network(of: peer)
        let asked = head.headers.first(name: "Host")
        host = isFromProxy ? head.headers.first(name: "X-Forwarded-Host") ?? asked : asked
        let isOfThisMachine = RequestRules.isLoopback(peer)
        hasExpectedHost =
            (isFromProxy && !isOfThisMachine) || RequestRules.isLocalName(host: host)
            || host.map { options.publicHosts.contains(RequestRules.name(of: $0)) } ?? false
        isLocal =
            isOfThisMachine && RequestRules.isLoopback(host: asked)
            && !Self.ofProxies.contains(where: head.headers.contains(name:))
        isOfOtherSite = head.headers.first(name: "Sec-Fetch-Site") == "cross-site"
        isSecure = isFromProxy && head.headers.first(name: "X-Forwarded-Proto")?.lowercased() == "https"
        cookieName = "v4l2mqtt_console_\(port)"
        // If the header occurs twice, one may come from the browser, so both are rejected.
        let users = isFromProxy ? options.userHeader.map { head.headers[$0] } ?? [] : []
        user = users.isEmpty ? nil : users.count == 1 && hasExpectedHost ? users[0] : ""
    }

    init(_ head: HTTPRequestHead, _ channel: any Channel, _ server: ServerState) {
        self.init(
            head, peer: channel.remoteAddress?.ipAddress ?? "", port: channel.localAddress?.port ?? 0,
            server.options.requests)
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
