internal import LoopThread

/// The life of the connection to a broker: connects, reconnects after a delay, reads, writes, keeps alive,
/// disconnects. It decides nothing about messages.
final class BrokerLink {
    enum Event {
        /// The broker has accepted us; the subscriptions have been requested.
        case connected
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
        /// The connector has the connection.
        case connecting
        /// CONNECT was sent and is not yet answered.
        case awaitingAnswer(descriptor: Int32)
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
    private let connection: Connection
    private let connector: Connector
    private var filters: [BusFilter]
    private let clientID: String
    private var state = State.idle
    private var reconnects = ReconnectPolicy()
    /// Receives all events but messages, in the order in which they occurred.
    var handle: (Event) -> Void = { _ in }
    /// Receives all messages, each in its place between the events.
    var received: (BusMessage) -> Void = { _ in }

    /// The end of the current state: of the delay in `idle`, of the time for the last messages in `draining`.
    private lazy var deadline = loop.timer { [weak self] in self?.deadlinePassed() }
    private lazy var keepAlive = loop.timer { [weak self] in self?.runMaintenance() }
    /// The client sends nothing in answer to a PUBACK, so that the kernel delays its TCP acknowledgement by
    /// 40 ms. Until then Nagle's algorithm, which mosquitto enables by default, holds back the broker's next
    /// packet. When commands follow each other faster, their answers carry the acknowledgement.
    private lazy var acknowledgement = loop.timer { [weak self] in self?.acknowledge() }
    private var lastRead: ContinuousClock.Instant

    /// - Throws: ``BusError`` or `LoopError` when the client cannot be made.
    init(_ settings: BusSettings, filters: [BusFilter], on loop: EventLoop) throws {
        (self.loop, self.filters, clientID, lastRead) = (loop, filters, settings.clientID, loop.now)
        connection = try Connection(settings)
        connector = try Connector(connection, on: loop)
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
        case .idle, .connecting, .awaitingAnswer, .stopped: false
        }
    }

    /// Whether the socket has taken everything that was sent.
    var hasFlushed: Bool { !connection.wantsToWrite }

    /// Sends a message. Returns its packet identifier.
    ///
    /// - Throws: ``BusError`` if it can't be sent, for instance because it is larger than the broker permits.
    func publish(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, retain: Bool, _ properties: BusProperties?
    ) throws(BusError) -> Int32 {
        try connection.publish(topic, payload, qos: qos, retain: retain, properties)
    }

    /// Adds subscriptions to this connection and to later ones. One that exists already stays as it is; with
    /// other options it is replaced, as brokers do.
    func subscribe(_ added: [BusFilter]) {
        for filter in added where !filters.contains(filter) {
            filters.removeAll { $0.filter == filter.filter }
            filters.append(filter)
            if isConnected { connection.subscribe(to: filter) }
        }
    }

    /// Ends subscriptions, also for later connections.
    func unsubscribe(_ ended: [BusFilter]) {
        filters.removeAll { filter in ended.contains { $0.filter == filter.filter } }
        if isConnected { for filter in ended { connection.unsubscribe(from: filter) } }
    }

    /// Connects, and reconnects until ``stop(then:)``.
    func start() { connect() }

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
        case .connecting, .awaitingAnswer, .connected, .stopped: break
        }
    }

    private func connect() {
        state = .connecting
        connector.connect { [weak self] failure in self?.connectorFinished(failure) }
    }

    private func connectorFinished(_ failure: String?) {
        guard case .connecting = state else { return }
        if let failure { return connectionLost(failure) }
        guard let descriptor = connection.descriptor else {
            return connectionLost("the connection was closed")
        }
        state = .awaitingAnswer(descriptor: descriptor)
        loop.watch(
            descriptor,
            for: { [connection] in connection.wantsToWrite ? [.readable, .writable] : .readable },
            ready: { [weak self] _ in self?.isReady() })
        keepAlive.set(after: Self.keepAliveInterval)
    }

    private func brokerAnswered(_ refusal: String?) {
        guard case .awaitingAnswer(let descriptor) = state else { return }
        if let refusal { return connectionLost(refusal) }
        state = .connected(descriptor: descriptor, since: loop.now)
        for filter in filters { connection.subscribe(to: filter) }
        handle(.connected)
    }

    private func connectionLost(_ reason: String) {
        switch state {
        case .idle, .stopped: return
        case .draining: return close()
        case .connecting: break
        case .awaitingAnswer(let descriptor): loop.unwatch(descriptor)
        case .connected(let descriptor, let since):
            loop.unwatch(descriptor)
            reconnects.connectionEnded(after: since.duration(to: loop.now))
        }
        state = .idle
        keepAlive.cancel()
        acknowledgement.cancel()
        var generator = SystemRandomNumberGenerator()
        let delay = reconnects.nextDelay(using: &generator)
        deadline.set(after: delay)
        let hint = reconnects.suspectsSharedClientID ? "; does another client use the id \(clientID)?" : ""
        handle(.disconnected(reason: reason + hint, retryIn: delay))
    }

    private func close() {
        var then: (() -> Void)?
        switch state {
        case .draining(let descriptor, let callback):
            then = callback
            disconnect(descriptor)
        case .awaitingAnswer(let descriptor), .connected(let descriptor, _): disconnect(descriptor)
        case .idle, .connecting, .stopped: break
        }
        state = .stopped
        deadline.cancel()
        keepAlive.cancel()
        acknowledgement.cancel()
        connector.abandon()
        then?()
    }

    private func disconnect(_ descriptor: Int32) {
        connection.disconnect()
        connection.write()
        loop.unwatch(descriptor)
    }
}

// MARK: Serving the socket

extension BrokerLink {
    private func isReady() {
        // Each message is handled before the next one is read, so that the answer to a command does not wait
        // for later commands.
        for _ in 0..<Self.maxMessagesPerTurn {
            connection.read()
            guard handleEvents(), connection.descriptor != nil else { break }
        }
        if connection.wantsToWrite {
            connection.write()
            handleEvents()
        }
        // Any call of libmosquitto may write, without an event for it.
        handle(.served)
        lastRead = loop.now
        if connection.descriptor != nil && !acknowledgement.isSet { acknowledgeLater() }
    }

    /// To move the timer with each packet would cost more than to set it again when it fires.
    private func acknowledgeLater() {
        acknowledgement.set(at: lastRead.advanced(by: Self.acknowledgementDelay))
    }

    private func acknowledge() {
        let isDue = lastRead.advanced(by: Self.acknowledgementDelay) <= loop.now
        if isDue { connection.acknowledge() } else { acknowledgeLater() }
    }

    private func runMaintenance() {
        connection.runMaintenance()
        keepAlive.set(after: Self.keepAliveInterval)
        handleEvents()
    }

    /// Returns whether there was an event.
    @discardableResult
    private func handleEvents() -> Bool {
        var hadEvent = false
        while let event = connection.takeEvent() {
            hadEvent = true
            switch consume event {
            case .answered(let refusal): brokerAnswered(refusal)
            case .message(let message): received(message)
            case .subscriptionRefused(let filter): handle(.subscriptionRefused(filter: filter))
            case .subscribed: handle(.subscribed)
            case .acknowledged(let packet, let refusal):
                handle(.acknowledged(packet: packet, refusal: refusal))
            case .closed(let reason): connectionLost(reason)
            }
        }
        return hadEvent
    }
}
