package import LoopThread

/// A broker, as an agent needs it: reconnects by itself, and says everything that is retained again after each time.
package final class MQTTBus {
    private enum State {
        case idle
        /// The connector has the connection.
        case connecting
        /// CONNECT is sent; the broker has not answered yet.
        case waiting(descriptor: Int32)
        case connected(descriptor: Int32, since: ContinuousClock.Instant)
        case stopping(descriptor: Int32)
        case stopped
    }

    private struct Retained {
        let payload: [UInt8]
        let properties: BusProperties?
    }

    private struct OneShot {
        let topic: String
        let payload: [UInt8]
        let qos: QualityOfService
        let properties: BusProperties?
    }

    private struct Undelivered {
        let topic: String
        /// Of states nothing is kept, as the newest is said again anyway.
        var oneShot: OneShot?
    }

    /// Answers and events that wait for the broker, in number and in bytes; older ones are let go.
    private static let maxOneShots = 1000
    private static let maxOneShotBytes = 4 << 20
    /// Messages that await their receipt at once. What is more waits here, of a topic's states the newest only: libmosquitto's own queue has
    /// no end.
    private static let maxUndelivered = 100
    /// Messages that are read before the loop looks at anything else.
    private static let messagesATurn = 64
    /// So long after the last packet the broker's kernel is told that it has arrived.
    private static let untilAcknowledged = Duration.milliseconds(2)

    private let loop: EventLoop
    private let connection: Connection
    private let connector: Worker<Void>
    /// What the connector hands back with the connection: what went wrong, if anything.
    private let connected: Inbox<String?>
    private let filters: [BusFilter]
    private var state = State.idle
    private var backOff = BackOff()
    private let clientID: String
    /// Connections in a row that were lost soon after they were made.
    private var shortLived = 0
    private var retained: [String: Retained] = [:]
    /// The topics of `retained` as they were first used: said again in this order, `online` comes after what it stands for.
    private var retainedOrder: [String] = []
    private var oneShots: [OneShot] = []
    private var oneShotBytes = 0
    /// The topics of `retained` whose newest message has still to go out, in the order in which they came to be.
    private var overdue: [String] = []
    /// What awaits its receipt, by number.
    private var undelivered: [Int32: Undelivered] = [:]
    private var whenFlushed: (() -> Void)?
    private var whenClosed: (() -> Void)?

    /// Called with each message, in the order in which the broker delivered them.
    package var received: (BusMessage) -> Void = { _ in }
    /// Called when the broker doesn't take what is published on a topic, with the reason; only on MQTT 5 does it say so.
    package var publicationRefused: (_ topic: String, _ reason: String) -> Void = { _, _ in }
    /// Called when the connection comes or goes.
    package var connectionChanged: (BusEvent) -> Void = { _ in }

    private lazy var retry = loop.timer { [weak self] in self?.connect() }
    /// A receipt isn't answered, and so its arrival is told late; until it is, Nagle's algorithm, which mosquitto has on as it is installed,
    /// holds back the next command. Where commands follow each other faster than this, answers tell it.
    private lazy var acknowledgement = loop.timer { [connection] in connection.acknowledge() }
    private lazy var keepAlive = loop.timer { [weak self] in self?.tendToKeepAlive() }
    private lazy var stopAtLast = loop.timer { [weak self] in self?.close() }

    /// - Parameter filters: what to subscribe to on each connection.
    /// - Throws: ``BusError`` or `LoopError` when the client can't be made, for instance from bad certificates.
    package init(
        _ settings: BusSettings, filters: [BusFilter], on loop: EventLoop
    ) throws {
        self.loop = loop
        self.filters = filters
        clientID = settings.clientID
        let connection = try Connection(settings)
        self.connection = connection
        let connected = try Inbox<String?>()
        self.connected = connected
        connector = try Worker(name: "mqtt-connect") { jobs in
            while jobs.next() != nil { connected.send(connection.connect()) }
        }
    }

    /// Starts to connect, and goes on until ``stop(then:)``.
    package func start() {
        connected.attach(to: loop) { [weak self] failure in self?.connectorIsBack(failure) }
        connect()
    }

    /// Whether messages go out at the moment.
    package var isConnected: Bool {
        if case .connected = state { true } else { false }
    }

    /// Publishes a retained message with QoS 1, now and after each reconnect. The newest on a topic counts.
    package func retain(_ topic: String, _ payload: [UInt8], _ properties: BusProperties? = nil) {
        let message = Retained(payload: payload, properties: properties)
        if retained.updateValue(message, forKey: topic) == nil { retainedOrder.append(topic) }
        if hasRoom {
            sendState(topic, message)
        } else if isConnected && !overdue.contains(topic) {
            overdue.append(topic)
        }
    }

    /// Publishes once more what is retained, as after a reconnect.
    ///
    /// - Parameter topics: these only; nil: all.
    package func republish(_ topics: Set<String>? = nil) {
        guard isConnected else { return }
        // What waits already is said but once.
        let again = topics.map { $0.union(overdue) }
        overdue = again.map { again in retainedOrder.filter(again.contains) } ?? retainedOrder
        sendWaiting()
    }

    /// Says no more what was retained on topics; what the broker has of it stays.
    package func stopRetaining(_ topics: Set<String>) {
        guard !topics.isEmpty else { return }
        for topic in topics { retained[topic] = nil }
        retainedOrder.removeAll(where: topics.contains)
        overdue.removeAll(where: topics.contains)
    }

    /// Whether the broker has everything.
    package var isDrained: Bool {
        isConnected && undelivered.isEmpty && overdue.isEmpty && oneShots.isEmpty
    }

    /// Publishes something that happens once; while there is no connection, it waits for the next.
    package func publishQueued(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService = .atLeastOnce,
        _ properties: BusProperties? = nil
    ) {
        let oneShot = OneShot(topic: topic, payload: payload, qos: qos, properties: properties)
        if hasCapacity { return send(oneShot) }
        // What wants no receipt needn't wait for those of others.
        if isConnected && qos == .atMostOnce && overdue.isEmpty && !connection.wantsToWrite {
            return send(oneShot)
        }
        oneShots.append(oneShot)
        oneShotBytes += payload.count
        while oneShots.count > Self.maxOneShots || (oneShotBytes > Self.maxOneShotBytes && oneShots.count > 1)
        {
            oneShotBytes -= oneShots.removeFirst().payload.count
        }
    }

    /// Whether what is told now goes out now.
    package var hasCapacity: Bool { hasRoom && oneShots.isEmpty }

    /// Publishes something that is soon out of date, with QoS 0; while the broker can't take it, it is let go. Returns whether it went out.
    @discardableResult
    package func publishIfReady(_ topic: String, _ payload: [UInt8], _ properties: BusProperties? = nil)
        -> Bool
    {
        guard hasRoom else { return false }
        send(OneShot(topic: topic, payload: payload, qos: .atMostOnce, properties: properties))
        return true
    }

    /// Publishes with a QoS of the caller's, if there is a connection. Returns whether there was one.
    @discardableResult
    package func publish(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties? = nil
    ) -> Bool {
        if isConnected { send(OneShot(topic: topic, payload: payload, qos: qos, properties: properties)) }
        return isConnected
    }

    /// Waits until everything has arrived, half a second at most, says goodbye to the broker, and calls back.
    package func stop(then: @escaping () -> Void) {
        retry.cancel()
        guard case .connected(let descriptor, _) = state else {
            close()
            return then()
        }
        state = .stopping(descriptor: descriptor)
        whenClosed = then
        stopAtLast.set(after: .milliseconds(500))
        whenFlushed = { [weak self] in self?.close() }
        checkFlushed()
    }
}

// MARK: The connection's life

extension MQTTBus {
    private func connect() {
        state = .connecting
        connector.submit(())
    }

    private func connectorIsBack(_ failure: String?) {
        guard case .connecting = state else { return }
        if let failure { return lost(failure) }
        guard let descriptor = connection.descriptor else { return lost("the connection was closed") }
        state = .waiting(descriptor: descriptor)
        loop.watch(
            descriptor,
            for: { [connection] in connection.wantsToWrite ? [.readable, .writable] : .readable },
            ready: { [weak self] _ in self?.isReady() })
        keepAlive.set(after: .seconds(1))
    }

    private func isReady() {
        // Each message is handled before the next is read: an answer doesn't wait for what came after its question. Timers and other
        // descriptors have their turn in between, however fast somebody sends.
        for _ in 0..<Self.messagesATurn {
            connection.read()
            guard handleEvents(), connection.descriptor != nil else { break }
        }
        if connection.wantsToWrite {
            connection.write()
            handleEvents()
        }
        // libmosquitto writes by itself too, at any of its calls: there may be room again without a word of it.
        sendWaiting()
        checkFlushed()
        if connection.descriptor != nil { acknowledgement.set(after: Self.untilAcknowledged) }
    }

    private func tendToKeepAlive() {
        connection.tendToKeepAlive()
        keepAlive.set(after: .seconds(1))
        handleEvents()
    }

    /// Returns whether there was something to handle.
    @discardableResult
    private func handleEvents() -> Bool {
        let events = connection.takeEvents()
        for event in events {
            switch event {
            case .answered(let refusal): brokerAnswered(refusal)
            case .message(let message): received(message)
            case .subscriptionRefused(let filter): connectionChanged(.subscriptionRefused(filter: filter))
            case .subscribed: connectionChanged(.subscribed)
            case .delivered(let number, let refusal):
                let message = undelivered.removeValue(forKey: number)
                if let refusal, let message { publicationRefused(message.topic, refusal) }
                sendWaiting()
                checkFlushed()
            case .closed(let reason): lost(reason)
            }
        }
        return !events.isEmpty
    }

    private func brokerAnswered(_ refusal: String?) {
        guard case .waiting(let descriptor) = state else { return }
        if let refusal { return lost(refusal) }
        state = .connected(descriptor: descriptor, since: loop.now)
        for filter in filters { connection.subscribe(to: filter) }
        overdue = retainedOrder
        sendWaiting()
        connectionChanged(.connected)
    }

    private func lost(_ reason: String) {
        switch state {
        case .idle, .stopped: return
        case .stopping: return close()
        case .connecting: break
        case .waiting(let descriptor): loop.forget(descriptor)
        case .connected(let descriptor, let since):
            loop.forget(descriptor)
            let lasted = since.duration(to: loop.now)
            backOff.connectionLasted(lasted)
            shortLived = lasted < .seconds(5) ? shortLived + 1 : 0
        }
        state = .idle
        keepAlive.cancel()
        acknowledgement.cancel()
        // Nobody knows whether these arrived; an answer that comes twice is better than one that doesn't.
        let unsure = undelivered.sorted { $0.key < $1.key }.compactMap(\.value.oneShot)
        oneShots.insert(contentsOf: unsure, at: 0)
        oneShotBytes += unsure.reduce(0) { $0 + $1.payload.count }
        undelivered = [:]
        // All of `retained` is said again by the next connection.
        overdue = []
        var generator = SystemRandomNumberGenerator()
        let wait = backOff.wait(using: &generator)
        retry.set(after: wait)
        // A broker ends the connection of a client whose id another client comes with.
        let guess = shortLived < 3 ? "" : "; does another client use the id \(clientID)?"
        connectionChanged(.disconnected(reason: reason + guess, retryIn: wait))
    }

    private func close() {
        switch state {
        case .waiting(let descriptor), .connected(let descriptor, _), .stopping(let descriptor):
            connection.disconnect()
            connection.write()
            loop.forget(descriptor)
        case .idle, .connecting, .stopped: break
        }
        state = .stopped
        keepAlive.cancel()
        acknowledgement.cancel()
        stopAtLast.cancel()
        connected.detach(from: loop)
        // It may be looking up a name that nobody answers: it isn't waited for.
        connector.abandon()
        let then = whenClosed
        whenClosed = nil
        then?()
    }

    private func sendState(_ topic: String, _ message: Retained) {
        let number = connection.publish(
            topic, message.payload, qos: .atLeastOnce, retain: true, message.properties)
        if let number { undelivered[number] = Undelivered(topic: topic) }
    }

    private func send(_ oneShot: OneShot) {
        let number = connection.publish(
            oneShot.topic, oneShot.payload, qos: oneShot.qos, retain: false, oneShot.properties)
        if let number, oneShot.qos != .atMostOnce {
            undelivered[number] = Undelivered(topic: oneShot.topic, oneShot: oneShot)
        }
    }

    /// Whether the broker keeps up: there are not too many messages without a receipt, and the socket takes what is written to it.
    private var hasRoom: Bool { isConnected && canTakeMore }

    private var canTakeMore: Bool { undelivered.count < Self.maxUndelivered && !connection.wantsToWrite }

    /// Sends what waited for room: states first, as answers and events speak of them.
    private func sendWaiting() {
        switch state {
        case .connected, .stopping: break
        case .idle, .connecting, .waiting, .stopped: return
        }
        while canTakeMore {
            if !overdue.isEmpty {
                let topic = overdue.removeFirst()
                guard let message = retained[topic] else { continue }
                sendState(topic, message)
            } else if !oneShots.isEmpty {
                let oneShot = oneShots.removeFirst()
                oneShotBytes -= oneShot.payload.count
                send(oneShot)
            } else {
                return
            }
        }
    }

    private func checkFlushed() {
        guard undelivered.isEmpty, overdue.isEmpty, oneShots.isEmpty, let then = whenFlushed else { return }
        whenFlushed = nil
        then()
    }
}
