/// Where the server listens, and which requests it takes.
package struct ServerOptions: Sendable {
    var address: String
    var port: Int
    /// Whether all requests that reach the address are admitted while there are no tokens.
    var mayBeOpen: Bool
    var proxies: ProxySettings
    /// The sites that may show the page in a frame, as Content-Security-Policy names them.
    var frameAncestors: [String]
    /// Open connections of one address at once: enough for several browsers behind one router.
    package var connectionsPerAddress = 64
    /// Takes a line for the log, on the server's thread.
    package var log: @Sendable (String) -> Void = { _ in }

    package init(
        address: String, port: Int, mayBeOpen: Bool, proxies: ProxySettings = ProxySettings(),
        frameAncestors: [String] = []
    ) {
        (self.address, self.port, self.mayBeOpen) = (address, port, mayBeOpen)
        (self.proxies, self.frameAncestors) = (proxies, frameAncestors)
    }
}
