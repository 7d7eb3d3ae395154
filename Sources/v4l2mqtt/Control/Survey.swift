internal import ArgumentParser
internal import LoopThread
internal import MQTTBus
internal import Messages

/// A look at all agents and cameras on a broker, or those that the options name. It sends nothing.
final class Survey {
    /// After so long without a message there was all.
    private static let silence = Duration.milliseconds(300)
    /// So long all of it takes at most, where somebody always has something to say.
    private static let longest = Duration.seconds(5)

    let loop = EventLoop()
    let options: BusOptions
    private let bus: MQTTBus
    private(set) var fleet: Fleet
    /// What the present connection has brought, until that is all there is: only then what isn't there any more is forgotten.
    private var coming: Fleet?
    private var failure: CommandError?
    private var isConnected = false
    private var isSettling = false

    /// Called with each message, when the fleet has taken it in.
    var heard: (BusMessage) -> Void = { _ in }
    /// Called when what the broker keeps has come, on each connection: it sends that with its answers to the subscriptions, and nothing says
    /// that it was all.
    var settled: () -> Void = {}
    /// Called when it is over, before anything is said about it.
    var ending: () -> Void = {}
    /// Called when the connection comes, with nil, and when it goes, with the reason.
    var connectionChanged: (String?) -> Void = { _ in }

    private lazy var limit = loop.timer { [weak self] in
        self?.fail("The broker doesn't answer.")
    }
    private lazy var quiet = loop.timer { [weak self] in self?.settle() }
    private lazy var atLast = loop.timer { [weak self] in self?.settle() }

    /// - Parameters:
    ///   - nodes: what to listen to below each camera.
    ///   - patience: how long the broker's first answer may take.
    init(_ options: BusOptions, listeningTo nodes: [String], patience: Duration = .seconds(5)) throws {
        self.options = options
        fleet = Fleet(options)
        let camera = "\(options.baseTopic)/\(options.agent ?? "+")/\(options.camera ?? "+")"
        bus = try options.bus(listeningTo: options.agentTopics + nodes.map { "\(camera)/\($0)" }, on: loop)
        limit.set(after: patience)
    }

    /// Listens until ``finish()``.
    ///
    /// - Throws: the exit code 1, when there is no broker, or it doesn't let us listen. It has been said then, unless `isQuiet`.
    func run(isQuiet: Bool = false) throws {
        bus.received = { [weak self] in self?.received($0) }
        bus.connectionChanged = { [weak self] in self?.changed($0) }
        bus.start()
        loop.run()
        bus.stop {}
        ending()
        if let failure {
            if !isQuiet { options.report(failure) }
            throw ExitCode.failure
        }
    }

    /// Listens until what the broker keeps has come.
    func collect(isQuiet: Bool = false) throws {
        settled = { [weak self] in self?.finish() }
        try run(isQuiet: isQuiet)
    }

    func finish() { loop.stop() }

    private func fail(_ words: String) {
        failure = failure ?? CommandError(.unavailable, words)
        loop.stop()
    }

    private func received(_ message: BusMessage) {
        fleet.take(message)
        coming?.take(message)
        if isSettling { quiet.set(after: Self.silence) }
        heard(message)
    }

    private func settle() {
        stopSettling()
        if var now = coming {
            now.remember(fleet)
            fleet = now
        }
        coming = nil
        settled()
    }

    private func stopSettling() {
        isSettling = false
        quiet.cancel()
        atLast.cancel()
    }

    private func changed(_ event: BusEvent) {
        switch event {
        case .connected:
            if isConnected { coming = Fleet(options) }
            isConnected = true
            connectionChanged(nil)
        case .subscribed:
            limit.cancel()
            isSettling = true
            quiet.set(after: Self.silence)
            atLast.set(after: Self.longest)
        case .subscriptionRefused(let filter): fail("The broker doesn't let us subscribe to \(filter).")
        case .disconnected(let reason, _):
            stopSettling()
            let words = "\(options.host):\(options.port): \(reason)"
            if isConnected { connectionChanged(words) } else { fail(words) }
        }
    }
}
