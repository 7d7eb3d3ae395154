internal import Bus
internal import Glibc
internal import NIOCore

/// What all connections of the server share. Only the thread of the server uses it.
final class ServerState {
    let console: Console
    let options: ServerOptions
    /// Pages and streams.
    var sockets = AddressCounter.ofSockets
    let mediaTurns = MediaTurns()
    /// Open connections of browsers and programs.
    var connections = 0
    var connectionsOfAddresses: AddressCounter
    /// The reports of addresses that have too many connections.
    var connectionReports = ReportPause()

    init(_ console: Console, _ options: ServerOptions) {
        (self.console, self.options) = (console, options)
        connectionsOfAddresses = AddressCounter(maxOfAddress: options.connectionsPerAddress)
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
