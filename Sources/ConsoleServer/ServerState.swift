internal import Console
internal import Glibc
internal import MQTTBus
internal import NIOCore

/// What all connections of the server share. Only the thread of the server uses it.
final class ServerState {
    let console: Console
    let options: ServerOptions
    var sockets = SocketLimits()
    let mediaTurns = MediaTurns()
    /// Open connections of browsers and programs.
    var connections = 0
    var connectionLimits: ConnectionLimits

    init(_ console: Console, _ options: ServerOptions) {
        (self.console, self.options) = (console, options)
        connectionLimits = ConnectionLimits(maxOfAddress: options.connectionsPerAddress)
        console.log = options.log
    }

    /// Takes a message of the broker.
    func receive(_ message: BusMessage) { console.receive(message) { PictureBuffer($0) } }

    /// To be called when the state of the connection to the broker changes.
    func brokerChanged(_ event: BusEvent) {
        switch event {
        case .connected: console.brokerConnected()
        case .disconnected: console.brokerDisconnected()
        case .subscribed: console.brokerSubscribed()
        case .subscriptionRefused: break
        }
    }

    /// Seconds since 1970.
    static var time: Int { milliseconds / 1000 }

    /// Milliseconds since 1970.
    static var milliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }
}

/// Where the server listens, and for whom.
package struct ServerOptions: Sendable {
    package var address: String
    package var port: Int
    /// Whether everybody who reaches the address is admitted while there are no tokens.
    package var mayBeOpen: Bool
    package var proxies: ProxySettings
    /// The sites that may show the page in a frame, as Content-Security-Policy names them.
    package var frameAncestors: [String]
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
