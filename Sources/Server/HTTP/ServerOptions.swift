/// Where the server listens, and which requests it takes.
package struct ServerOptions: Sendable {
    var address: String
    var port: Int
    var requests: RequestOptions
    /// The sites that may show the page in a frame, as Content-Security-Policy names them.
    package var frameAncestors: [String] = []
    /// Open connections of one address at once: enough for several browsers behind one router.
    package var connectionsPerAddress = 64
    /// Whether there is no page, and nothing else that needs a token: only the metrics, for all who reach the
    /// address.
    package var isForMetricsOnly = false
    /// How many cameras, and how many agents, the metrics have.
    package var maxCameras = FleetMetrics.usualLimit
    /// The agents that people have hidden, as they were stored.
    package var hidden: Set<String> = []
    /// Stores the hidden agents; called on the server's thread.
    package var storeHidden: @Sendable (Set<String>) -> Void = { _ in }
    /// The tokens, if they are not of this version, which becomes the present one; nil: they stay as they
    /// are. Called on the server's thread, before each use of a token.
    package var readTokens: @Sendable (_ version: inout TokenVersion?) -> TokenList? = { _ in nil }
    /// Takes a line for the log, on the server's thread.
    package var log: @Sendable (String) -> Void = { _ in }

    package init(at place: ListenAddress, _ requests: RequestOptions = RequestOptions()) {
        (address, port, self.requests) = (place.address, place.port, requests)
    }
}
