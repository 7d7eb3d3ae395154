internal import ArgumentParser
internal import Glibc
internal import LoopThread
internal import MQTTBus
internal import Messages

/// A look at all agents and cameras on a broker, or those that the options name. It sends nothing.
final class Survey {
    /// After so long without a message there was all.
    private static let silence = Duration.milliseconds(300)

    let loop = EventLoop()
    let options: BusOptions
    private let bus: MQTTBus
    private(set) var fleet: Fleet
    private var failure: String?
    private var isConnected = false

    /// Called with each message, when the fleet has taken it in.
    var heard: () -> Void = {}
    /// Called with each message, as it came.
    var looked: (BusMessage) -> Void = { _ in }
    /// Called when it is over, before anything is said about it.
    var ending: () -> Void = {}
    /// Called when the broker has answered the subscriptions.
    private var subscribed: () -> Void = {}
    /// Called when the connection comes, with nil, and when it goes, with the reason.
    var connectionChanged: (String?) -> Void = { _ in }

    private lazy var limit = loop.timer { [weak self] in
        self?.fail("The broker doesn't answer.")
    }

    /// - Parameters:
    ///   - nodes: what to listen to below each camera.
    ///   - limit: how long the first connection may take.
    init(_ options: BusOptions, listeningTo nodes: [String], patience: Duration = .seconds(5)) throws {
        self.options = options
        fleet = Fleet(base: options.baseTopic)
        let agent = "\(options.baseTopic)/\(options.agent ?? "+")"
        let camera = "\(agent)/\(options.camera ?? "+")"
        let topics = ["\(agent)/info", "\(agent)/availability"] + nodes.map { "\(camera)/\($0)" }
        let filters = topics.map { BusFilter($0, .retained, qos: .atMostOnce) }
        let clientID = "v4l2mqtt-ctl-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        bus = try MQTTBus(try options.settings(clientID: clientID), filters: filters, on: loop)
        limit.set(after: patience)
    }

    /// Listens until ``finish()``.
    ///
    /// - Throws: the exit code 1, when there is no broker, or it doesn't let us listen. It has been said then, unless `isQuiet`.
    func run(isQuiet: Bool = false) throws {
        bus.received = { [weak self] message in
            self?.looked(message)
            self?.fleet.take(message)
            self?.heard()
        }
        bus.connectionChanged = { [weak self] in self?.changed($0) }
        bus.start()
        loop.run()
        bus.stop {}
        ending()
        if let failure {
            if !isQuiet { complain(failure) }
            throw ExitCode.failure
        }
    }

    /// Listens until what the broker keeps has come: it sends that with its answers to the subscriptions, and nothing says that it was all.
    func collect(isQuiet: Bool = false, atMost most: Duration = .seconds(5)) throws {
        let silence = loop.timer { [weak self] in self?.finish() }
        let end = loop.timer { [weak self] in self?.finish() }
        subscribed = { [weak self] in
            silence.set(after: Self.silence)
            end.set(after: most)
            self?.heard = { silence.set(after: Self.silence) }
        }
        try run(isQuiet: isQuiet)
    }

    func finish() { loop.stop() }

    private func fail(_ words: String) {
        failure = failure ?? words
        loop.stop()
    }

    private func changed(_ event: BusEvent) {
        switch event {
        case .connected:
            isConnected = true
            limit.cancel()
            connectionChanged(nil)
        case .subscribed: subscribed()
        case .subscriptionRefused(let filter): fail("The broker doesn't let us subscribe to \(filter).")
        case .disconnected(let reason, _):
            let words = "\(options.host):\(options.port): \(reason)"
            if isConnected { connectionChanged(words) } else { fail(words) }
        }
    }
}
