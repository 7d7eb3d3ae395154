package import Base

/// A client of an MQTT broker that reconnects by itself and publishes all retained messages again after each
/// reconnect.
///
/// For the thread of its loop only.
package final class MQTTBus {
    private let link: Link
    private var outbox = Outbox(maxCount: 1000, maxBytes: 4 << 20)
    /// What follows when a message that was sent ahead is acknowledged, by its packet identifier.
    private var ahead: [Int32: () -> Void] = [:]

    /// While it is true, only ``publishAhead(_:_:retain:received:)`` sends. The others are held back, and
    /// are then sent as after a reconnect.
    package var isHeld = false {
        didSet {
            guard oldValue, !isHeld, isConnected else { return }
            outbox.markDue()
            sendWaiting()
        }
    }

    /// Called with each message, in the order in which the broker delivered them.
    package var received: (BusMessage) -> Void {
        get { link.received }
        set { link.received = newValue }
    }
    /// Called with the reason when a message can't be sent, or when the broker refuses it. Only brokers with
    /// MQTT 5 report refusals.
    package var publicationRefused: (_ topic: String, _ reason: String) -> Void = { _, _ in }
    /// Called when the broker has acknowledged, or refused, everything that was published.
    package var drained: () -> Void = {}
    /// Decides how long to wait before the first attempt after a connection, where the usual time is not
    /// right.
    package var retryDelay: (_ end: ConnectionEnd, _ usual: Duration) -> Duration {
        get { link.retryDelay }
        set { link.retryDelay = newValue }
    }
    /// Called when the state of the connection changes.
    package var connectionChanged: (BusEvent) -> Void = { _ in }

    /// - Parameter filters: the subscriptions that are made on each connection.
    /// - Throws: ``BusError`` or `LoopError` when the client cannot be made. Certificates that can't be used
    ///   are a reason of ``BusEvent/disconnected(reason:retryIn:)`` instead, as they are read for each
    ///   connection.
    package init(_ settings: BusSettings, filters: [BusFilter], on loop: EventLoop) throws {
        link = try Link(settings, filters: filters, on: loop)
        link.handle = { [weak self] event in self?.handle(event) }
    }

    /// Connects, and reconnects until ``stop(then:)``.
    ///
    /// - Parameter wait: before the first attempt.
    package func start(after wait: Duration = .zero) { link.start(after: wait) }

    /// What ``start(after:)`` waits at least, because the last runs of the program ended by a fault
    /// (``BusSettings/faultFile``).
    package var waitAfterFaults: Duration { link.waitAfterFaults }

    /// Adds subscriptions: they are made now, if there is a connection, and on each later connection. A
    /// subscription to the same filter with the same options is not made again; one with other options is
    /// replaced.
    ///
    /// Afterwards ``BusEvent/subscribed`` is reported again.
    package func subscribe(_ filters: [BusFilter]) { link.subscribe(filters) }

    /// Ends subscriptions: no connection makes them again. The broker may deliver what is on its way.
    package func unsubscribe(_ filters: [BusFilter]) { link.unsubscribe(filters) }

    /// Whether the broker has accepted the connection and ``stop(then:)`` was not called.
    package var isConnected: Bool { link.isConnected }

    /// Whether a message that is published now is sent immediately, also with
    /// ``publishQueued(_:_:qos:_:group:)``.
    package var hasCapacity: Bool { canSendNow && !outbox.hasQueued }

    /// Whether there is a connection and the broker has acknowledged everything that was published.
    package var isDrained: Bool { isConnected && !isHeld && outbox.isEmpty }

    /// Ends the connection without the will, and connects again after a time. Does nothing without a
    /// connection.
    ///
    /// - Parameter reason: of ``BusEvent/disconnected(reason:retryIn:)``.
    package func pause(for delay: Duration, _ reason: String) {
        link.pause(for: delay, reason)
        disconnectIfDrained()
    }

    /// Waits until everything is acknowledged, half a second at most, disconnects, and calls back.
    package func stop(then: @escaping () -> Void) {
        link.stop(then: then)
        disconnectIfDrained()
    }
}

// MARK: Publishing

extension MQTTBus {
    /// Publishes a retained message with QoS 1, now and after each reconnect. The newest message of a topic
    /// counts.
    package func retain(_ topic: String, _ payload: [UInt8], _ properties: BusProperties? = nil) {
        retain(topic, properties.map { .described(payload, $0) } ?? .bytes(payload))
    }

    /// Publishes a retained message as ``retain(_:_:_:)`` does, but does not keep its bytes: they are made
    /// again each time. For long messages that rarely change.
    package func retain(_ topic: String, making payload: @escaping () -> [UInt8]) {
        retain(topic, .made(by: payload))
    }

    private func retain(_ topic: String, _ content: RetainedContent) {
        outbox.retain(topic, content, isDue: isConnected)
        if isConnected { sendWaiting() }
    }

    /// Publishes the retained messages once more, as after a reconnect.
    ///
    /// - Parameter topics: only these; nil for all.
    package func republish(_ topics: Set<String>? = nil) {
        guard isConnected, !isHeld else { return }
        outbox.markDue(topics)
        sendWaiting()
    }

    /// The topics of all retained messages, in the order of their first use.
    package var retainedTopics: [String] { outbox.retainedTopics }

    /// Drops the retained messages of topics: they are not published again. The broker keeps what it has.
    package func stopRetaining(_ topics: Set<String>) { outbox.stopRetaining(topics) }

    /// Publishes a message that is not retained. It waits until the broker can take it, also across a
    /// reconnect.
    ///
    /// - Parameter group: names the messages that ``withdraw(group:)`` withdraws; nil: none does.
    package func publishQueued(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService = .atLeastOnce,
        _ properties: BusProperties? = nil, group: String? = nil
    ) {
        outbox.queue(
            Outgoing(topic: topic, payload: payload, qos: qos, properties: properties, group: group))
        if isConnected { sendWaiting() }
    }

    /// Withdraws the queued messages of a group: those that wait are not sent, and those that were sent are
    /// not sent again after a reconnect. What is published afterwards follows those that were sent.
    package func withdraw(group: String) { outbox.withdraw(group: group) }

    /// Publishes a message that is soon outdated, with QoS 0. It is dropped if the broker cannot take it now.
    ///
    /// - Returns: whether it was sent.
    @discardableResult
    package func publishIfReady(_ topic: String, _ payload: [UInt8], _ properties: BusProperties? = nil)
        -> Bool
    {
        guard canSendNow else { return false }
        send(Outgoing(topic: topic, payload: payload, qos: .atMostOnce, properties: properties))
        return true
    }

    /// Publishes a message if there is a connection, however much is still unacknowledged.
    ///
    /// - Returns: whether there was a connection.
    @discardableResult
    package func publish(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties? = nil
    ) -> Bool {
        if isConnected { send(Outgoing(topic: topic, payload: payload, qos: qos, properties: properties)) }
        return isConnected
    }

    /// Publishes a message with QoS 1, although others are held back, and calls back when the broker has
    /// received it: what it had to deliver before has come then. It also calls back when the message can't be
    /// sent. Without a connection, or if it ends before, it does not call back.
    package func publishAhead(
        _ topic: String, _ payload: [UInt8], retain: Bool, received: @escaping () -> Void
    ) {
        guard isConnected else { return }
        do throws(BusError) {
            let packet = try link.publish(
                Outgoing(topic: topic, payload: payload, qos: .atLeastOnce, isRetained: retain))
            if let packet { ahead[packet] = received }
        } catch {
            publicationRefused(topic, error.reason)
            received()
        }
    }

    private var canSendNow: Bool { isConnected && !isHeld && outbox.hasRoom && link.hasFlushed }

    private func send(_ message: Outgoing) {
        do throws(BusError) {
            if let packet = try link.publish(message) { outbox.sent(message, packet) }
        } catch {
            publicationRefused(message.topic, error.reason)
        }
    }

    /// Sends what has waited, as far as the broker can take it.
    private func sendWaiting() {
        guard !isHeld, outbox.hasWaiting, link.canSend else { return }
        while link.hasFlushed, let message = outbox.next() { send(message) }
    }
}

// MARK: Events of the connection

extension MQTTBus {
    private func handle(_ event: Link.Event) {
        switch event {
        case .acknowledged(let packet, _) where ahead[packet] != nil: ahead.removeValue(forKey: packet)?()
        case .acknowledged(let packet, let refusal):
            let topic = outbox.acknowledged(packet)
            if let refusal, let topic { publicationRefused(topic, refusal) }
            sendWaiting()
            disconnectIfDrained()
            if isDrained { drained() }
        case .served:
            sendWaiting()
            disconnectIfDrained()
        case .change(let change):
            switch change {
            case .connected:
                ahead = [:]
                outbox.connected(window: link.window)
                sendWaiting()
            case .disconnected: outbox.connectionLost()
            case .subscribed, .subscriptionRefused: break
            }
            connectionChanged(change)
        }
    }

    private func disconnectIfDrained() {
        if link.isDraining && (isHeld || outbox.isEmpty) { link.disconnectIfDraining() }
    }
}
