internal import LoopThread

/// The life of the connection to a broker: connects to one of the hosts, reconnects as ``ConnectionPlan``
/// decides, reads, writes, keeps alive, disconnects. It decides nothing about messages.
final class BrokerLink {
    enum Event {
        /// The broker has accepted us; the subscriptions have been requested.
        ///
        /// - window: the messages that may be unacknowledged at a time.
        case connected(BusSession, window: Int)
        case disconnected(reason: String, retryIn: Duration)
        case subscribed
        case subscriptionRefused(filter: String)
        /// The broker has acknowledged or refused a message with QoS 1 or 2.
        case acknowledged(packet: Int32, refusal: String?)
        /// The socket was served: it may take more messages than before.
        case served
    }

    private enum State {
        /// Not connected. The next attempt is due at the deadline, if it is set.
        case idle
        case attempting(Attempt)
        case connected(descriptor: Int32, since: ContinuousClock.Instant)
        /// The last messages go out; disconnects at the deadline at the latest, and then calls back.
        case draining(descriptor: Int32, then: () -> Void)
        case stopped
    }

    /// Messages that are read before timers and other descriptors have their turn.
    private static let maxMessagesPerTurn = 64
    /// Delay from the last packet read to the TCP acknowledgement.
    private static let acknowledgementDelay = Duration.milliseconds(2)
    private static let keepAliveInterval = Duration.seconds(1)
    private static let drainTimeout = Duration.milliseconds(500)

    private let loop: EventLoop
    private let settings: BusSettings
    private let connector: Connector
    private var filters: [BusFilter]
    private var state = State.idle
    /// Nil while there is none that the broker has accepted.
    private var connection: Connection? {
        didSet { answerHandlers = [] }
    }
    private var plan: ConnectionPlan
    /// The next attempt.
    private var target: ConnectionPlan.Target
    /// Why the attempts since the last connection, or since the last delay, have failed.
    private var failures: [String] = []
    /// Receives all events but messages, in the order in which they occurred.
    var handle: (Event) -> Void = { _ in }
    /// Called when the broker has answered ``askForAnswer(then:)``, the oldest request first.
    private var answerHandlers: [() -> Void] = []
    /// Decides how long to wait after a connection that has ended, where the usual time is not right.
    var retryDelay: (_ end: ConnectionEnd, _ usual: Duration) -> Duration = { $1 }
    /// Receives all messages, each in its place between the events.
    var received: (BusMessage) -> Void = { _ in }

    /// The end of the current state: of the delay in `idle`, of the time for the last messages in `draining`.
    private lazy var deadline = loop.timer { [weak self] in self?.deadlinePassed() }
    private lazy var keepAlive = loop.timer { [weak self] in self?.runMaintenance() }
    /// The client sends nothing in answer to a PUBACK, so that the kernel delays its TCP acknowledgement by
    /// 40 ms. Until then Nagle's algorithm, which mosquitto enables by default, holds back the broker's next
    /// packet. When commands follow each other faster, their answers carry the acknowledgement.
    private lazy var acknowledgement = loop.timer { [weak self] in self?.acknowledge() }
    /// Continues with packets that have been decrypted but not read: no descriptor becomes ready for them.
    private lazy var rest = loop.timer { [weak self] in self?.isReady() }
    private var lastRead: ContinuousClock.Instant

    /// - Throws: ``BusError`` or `LoopError` when the client cannot be made.
    init(_ settings: BusSettings, filters: [BusFilter], on loop: EventLoop) throws {
        (self.loop, self.filters, self.settings, lastRead) = (loop, filters, settings, loop.now)
        // Whether the settings can be used.
        _ = try Connection(settings, settings.version == .v311 ? .v311 : .v5)
        connector = Connector(settings, on: loop)
        plan = ConnectionPlan(
            hostCount: settings.hosts.count, order: settings.order, version: settings.version)
        var generator = SystemRandomNumberGenerator()
        target = plan.begin(using: &generator)
    }

    var isConnected: Bool {
        if case .connected = state { true } else { false }
    }

    /// Whether ``stop(then:)`` waits for the last messages.
    var isDraining: Bool {
        if case .draining = state { true } else { false }
    }

    /// Whether messages can still be sent: connected or draining.
    var canSend: Bool {
        switch state {
        case .connected, .draining: true
        case .idle, .attempting, .stopped: false
        }
    }

    /// Whether the socket has taken everything that was sent.
    var hasFlushed: Bool { connection.map { !$0.wantsToWrite } ?? true }

    /// Sends a message. Returns the packet identifier of its acknowledgement; nil: there is none.
    ///
    /// - Throws: ``BusError`` if it can't be sent, for instance because it is larger than the broker permits.
    func publish(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, retain: Bool, _ properties: BusProperties?
    ) throws(BusError) -> Int32? {
        guard let connection else { throw BusError(call: "publish", reason: "there is no connection") }
        return try connection.publish(topic, payload, qos: qos, retain: retain, properties)
    }

    /// Adds subscriptions to this connection and to later ones. One that exists already stays as it is; with
    /// other options it is replaced, as brokers do.
    func subscribe(_ added: [BusFilter]) {
        for filter in added where !filters.contains(filter) {
            filters.removeAll { $0.filter == filter.filter }
            filters.append(filter)
            if isConnected { request(filter) }
        }
    }

    /// Ends subscriptions, also for later connections.
    func unsubscribe(_ ended: [BusFilter]) {
        filters.removeAll { filter in ended.contains { $0.filter == filter.filter } }
        if isConnected { for filter in ended { connection?.unsubscribe(from: filter) } }
    }

    /// Sends a request that changes nothing, and calls back when the broker has answered it. Does not call
    /// back if the connection ends before, or if there is none.
    func askForAnswer(then: @escaping () -> Void) {
        guard isConnected, let connection else { return }
        if connection.askForAnswer() { answerHandlers.append(then) }
    }

    private func request(_ filter: BusFilter) {
        if let connection, connection.makes(filter) { connection.subscribe(to: filter) }
    }

    /// Connects, and reconnects until ``stop(then:)``.
    ///
    /// - Parameter wait: before the first attempt.
    func start(after wait: Duration) {
        if wait > .zero { deadline.set(after: wait) } else { connect() }
    }

    /// Waits for ``disconnectIfDraining()``, half a second at most, disconnects from the broker, and calls
    /// back. Without a connection it calls back immediately.
    func stop(then: @escaping () -> Void) {
        deadline.cancel()
        guard case .connected(let descriptor, _) = state else {
            close()
            return then()
        }
        state = .draining(descriptor: descriptor, then: then)
        deadline.set(after: Self.drainTimeout)
    }

    /// To be called when the last message was acknowledged.
    func disconnectIfDraining() {
        if case .draining = state { close() }
    }
}

// MARK: The states of the connection

extension BrokerLink {
    private func deadlinePassed() {
        switch state {
        case .idle: connect()
        case .draining: close()
        case .attempting, .connected, .stopped: break
        }
    }

    private func connect() {
        let attempt = Attempt(target, settings, connector, on: loop) { [weak self] result in
            switch result {
            case .success(let accepted): self?.accepted(accepted)
            case .failure(let failure): self?.attemptFailed(failure)
            }
        }
        state = .attempting(attempt)
        attempt.start { [weak self] count in self?.plan.found(addresses: count) }
    }

    private func accepted(_ accepted: Attempt.Accepted) {
        guard case .attempting = state else { return }
        let (connection, descriptor) = (accepted.connection, accepted.descriptor)
        self.connection = connection
        plan.accepted()
        state = .connected(descriptor: descriptor, since: loop.now)
        loop.watch(
            descriptor,
            for: { [connection] in connection.interest },
            ready: { [weak self] _ in self?.isReady() })
        keepAlive.set(after: Self.keepAliveInterval)
        for filter in filters { request(filter) }
        let session = BusSession(
            host: settings.hosts[target.host], level: connection.level, notes: accepted.limits.notes,
            warnings: accepted.limits.warnings, failures: failures)
        failures = []
        handle(.connected(session, window: min(Connection.maxInFlight, Int(accepted.limits.receiveMaximum))))
        // What the broker has sent with its answer.
        handleEvents()
    }

    private func attemptFailed(_ failure: Attempt.Failure) {
        guard case .attempting = state else { return }
        state = .idle
        var generator = SystemRandomNumberGenerator()
        let step = plan.failed(failure.kind, using: &generator)
        if !step.isOlderVersion && !failures.contains(failure.reason) { failures.append(failure.reason) }
        if step.endsRound { reportEnd(retryIn: step.delay) }
        take(step, after: step.delay)
    }

    private func connectionLost(_ reason: String, isTakeover: Bool) {
        switch state {
        case .idle, .attempting, .stopped: return
        case .draining: return close()
        case .connected(let descriptor, let since):
            loop.unwatch(descriptor)
            connection = nil
            let end = ConnectionEnd(length: since.duration(to: loop.now), isTakeover: isTakeover)
            connectionEnded(reason, after: end.length) { [self] usual in
                retryDelay(end, usual + settings.spread.wait(afterConnectionOf: end.length))
            }
        }
    }

    /// Disconnects, so that the broker discards the will, and connects again later. Does nothing without a
    /// connection.
    func pause(for delay: Duration, _ reason: String) {
        guard case .connected(let descriptor, let since) = state else { return }
        disconnect(descriptor)
        connectionEnded(reason, after: since.duration(to: loop.now)) { _ in delay }
    }

    private func connectionEnded(
        _ reason: String, after length: Duration, delay: (_ usual: Duration) -> Duration
    ) {
        state = .idle
        keepAlive.cancel()
        acknowledgement.cancel()
        failures = ["\(settings.hosts[target.host]): \(reason)"]
        var generator = SystemRandomNumberGenerator()
        let step = plan.ended(after: length, using: &generator)
        let delay = delay(step.delay)
        reportEnd(retryIn: delay)
        take(step, after: delay)
    }

    private func reportEnd(retryIn delay: Duration) {
        var reason = failures.joined(separator: "; ")
        if plan.policy.suspectsSharedClientID {
            reason += "; does another client use the id \(settings.clientID)?"
        }
        failures = []
        handle(.disconnected(reason: reason, retryIn: delay))
    }

    private func take(_ step: ConnectionPlan.Step, after delay: Duration) {
        // The receiver of an event may have stopped the bus.
        guard case .idle = state else { return }
        target = step.target
        deadline.set(after: delay)
    }

    private func close() {
        var then: (() -> Void)?
        switch state {
        case .draining(let descriptor, let callback):
            then = callback
            disconnect(descriptor)
        case .attempting(let attempt): attempt.abandon()
        case .connected(let descriptor, _): disconnect(descriptor)
        case .idle, .stopped: break
        }
        state = .stopped
        deadline.cancel()
        keepAlive.cancel()
        acknowledgement.cancel()
        then?()
    }

    private func disconnect(_ descriptor: Int32) {
        connection?.disconnect()
        connection?.write()
        loop.unwatch(descriptor)
        connection = nil
    }
}

// MARK: Serving the socket

extension BrokerLink {
    private func isReady() {
        guard let connection else { return }
        // Each message is handled before the next one is read, so that the answer to a command does not wait
        // for later commands.
        for _ in 0..<Self.maxMessagesPerTurn {
            connection.read()
            guard handleEvents(), self.connection === connection, connection.descriptor != nil else { break }
        }
        if self.connection === connection && connection.wantsToWrite {
            connection.write()
            handleEvents()
        }
        if self.connection === connection && connection.hasPending { rest.set(after: .zero) }
        // Any call of libmosquitto may write, without an event for it.
        handle(.served)
        lastRead = loop.now
        if self.connection === connection && connection.descriptor != nil && !acknowledgement.isSet {
            acknowledgeLater()
        }
    }

    /// To move the timer with each packet would cost more than to set it again when it fires.
    private func acknowledgeLater() {
        acknowledgement.set(at: lastRead.advanced(by: Self.acknowledgementDelay))
    }

    private func acknowledge() {
        let isDue = lastRead.advanced(by: Self.acknowledgementDelay) <= loop.now
        if isDue { connection?.acknowledge() } else { acknowledgeLater() }
    }

    private func runMaintenance() {
        connection?.runMaintenance()
        keepAlive.set(after: Self.keepAliveInterval)
        handleEvents()
    }

    /// Returns whether there was an event.
    @discardableResult
    private func handleEvents() -> Bool {
        guard let connection else { return false }
        var hadEvent = false
        // The receiver of an event may have ended the connection.
        while self.connection === connection, let event = connection.takeEvent() {
            hadEvent = true
            switch consume event {
            case .message(let message): received(message)
            case .subscriptionRefused(let filter): handle(.subscriptionRefused(filter: filter))
            case .subscribed: handle(.subscribed)
            case .answered: answerHandlers.removeFirst()()
            case .acknowledged(let packet, let refusal):
                handle(.acknowledged(packet: packet, refusal: refusal))
            case .closed(let reason, let cause): connectionLost(reason, isTakeover: cause == .takeover)
            // The attempt has taken the only answer to CONNECT.
            case .accepted, .refused, .unreachable: break
            }
        }
        return hadEvent
    }
}
