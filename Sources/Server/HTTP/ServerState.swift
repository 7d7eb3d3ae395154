internal import Bus
internal import Glibc
internal import NIOCore

/// What all connections of the server share. Only the thread of the server uses it.
final class ServerState {
    let console: Console
    let metrics: MetricsFeed
    let options: ServerOptions
    /// Pages and streams.
    var sockets = AddressCounter.ofSockets
    var strangers = AddressCounter.ofStrangers
    let mediaTurns = MediaTurns()
    /// Nil: the file was not looked at yet.
    private var tokenVersion: TokenVersion?
    /// Open connections of browsers and programs.
    var connections: AddressCounter
    /// The reports of addresses that have too many connections.
    var connectionReports = ReportPause()

    init(_ console: Console, _ metrics: MetricsFeed, _ options: ServerOptions) {
        (self.console, self.metrics, self.options) = (console, metrics, options)
        connections = AddressCounter(max: 256, maxOfAddress: options.connectionsPerAddress)
        console.log = options.log
        (console.hidden, console.storeHidden) = (options.hidden, options.storeHidden)
    }

    /// Puts the tokens into effect that are stored now, and closes the pages of those that are gone. To be
    /// called before each use of a token, so that a removal counts at once, and each second, which ends
    /// pictures that are only looked at.
    func updateTokens() {
        guard let tokens = options.readTokens(&tokenVersion), tokens != console.access.tokens else { return }
        console.access.tokens = tokens
        console.tokensChanged()
        options.log(
            tokens.isEmpty && !options.requests.localhostIsOpen
                ? "warning: the last token was removed: no request is admitted until there is a new one"
                : "info: the tokens have changed")
    }

    /// To be called once in a second.
    func tick(on loop: any EventLoop) {
        updateTokens()
        try? startMetricsIfWanted(on: loop)
        console.tick(milliseconds: Self.milliseconds)
    }

    /// Connects for the metrics, if they are served alone, or there is a token for them.
    func startMetricsIfWanted(on loop: any EventLoop) throws {
        let isWanted = console.access.tokens.tokens.contains { $0.use == .metrics }
        if options.isForMetricsOnly || isWanted { try metrics.start(on: loop) }
    }

    /// To be called when the state of the connection to the broker changes.
    func brokerChanged(_ event: BusEvent) {
        switch event {
        case .connected: console.brokerConnected()
        case .disconnected: console.brokerDisconnected()
        case .subscribed: console.brokerSubscribed()
        case .subscriptionRefused: break
        }
    }

    /// Milliseconds since 1970.
    static var milliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}
