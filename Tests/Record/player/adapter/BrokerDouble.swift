import Base
import Settings

@testable import Bus

/// The connection to a broker, and the broker: it keeps what is retained, and delivers to the agent what its
/// subscriptions match. Part of the adapter.
final class BrokerDouble: AgentBus {
    private struct Retained {
        let properties: BusProperties?
        let payload: () -> [UInt8]
    }

    private struct Waiting {
        let message: StageMessage
        let group: String?
    }

    var received: (BusMessage) -> Void = { _ in }
    var publicationRefused: (_ topic: String, _ reason: String) -> Void = { _, _ in }
    var connectionChanged: (BusEvent) -> Void = { _ in }
    var retryDelay: (_ end: ConnectionEnd, _ usual: Duration) -> Duration = { $1 }
    let waitAfterFaults = Duration.zero
    var filters: [BusFilter] = []
    /// Only ``publishAhead(_:_:retain:received:)`` sends. What is held back is sent as after a reconnect.
    var isHeld = false {
        didSet {
            guard oldValue, !isHeld, isConnected else { return }
            due = retainedTopics
            sendWaiting()
        }
    }
    /// What the agent has published, in order.
    private(set) var published: [StageMessage] = []
    private(set) var isConnected = false
    /// The broker takes no more messages.
    var isFull = false { didSet { if !isFull { sendWaiting() } } }

    private let loop: EventLoop
    private var retained: [String: Retained] = [:]
    private(set) var retainedTopics: [String] = []
    private var due: [String] = []
    private var waiting: [Waiting] = []
    /// What the broker has, in the order of the first messages.
    private var kept: [StageMessage] = []
    private var connectedAt: ContinuousClock.Instant?
    private var deliveries: [() -> Void] = []
    private lazy var deliveryTimer = loop.timer { [weak self] in self?.makeDeliveries() }
    private lazy var connectTimer = loop.timer { [weak self] in self?.connect() }
    private static let retryDelay = Duration.seconds(1)

    init(on loop: EventLoop) { self.loop = loop }

    // MARK: The broker

    /// A client publishes a message.
    func deliver(_ message: StageMessage) {
        if message.isRetained { keep(message) }
        guard isConnected else { return }
        for filter in filters where filter.matches(message.topic) {
            deliver(message, by: filter, isRetained: message.isRetained && filter.kind.keepsRetainFlag)
        }
    }

    private func deliver(_ message: StageMessage, by filter: BusFilter, isRetained: Bool) {
        let qos = QualityOfService(rawValue: Int32(message.qos)) ?? .atLeastOnce
        received(
            BusMessage(
                topic: message.topic, payload: message.payload, qos: min(qos, filter.qos),
                isRetained: isRetained,
                responseTopic: message.responseTopic, correlation: message.correlation))
    }

    private func keep(_ message: StageMessage) {
        let place = kept.firstIndex { $0.topic == message.topic }
        if let place, message.payload.isEmpty {
            kept.remove(at: place)
        } else if let place {
            kept[place] = message
        } else if !message.payload.isEmpty {
            kept.append(message)
        }
    }

    /// The agent publishes a message; some of its subscriptions deliver it to the agent.
    private func take(_ message: StageMessage) {
        published.append(message)
        if message.isRetained { keep(message) }
        for filter in filters where filter.kind.includesOwn && filter.matches(message.topic) {
            later { [weak self] in
                self?.deliver(
                    message, by: filter, isRetained: message.isRetained && filter.kind.keepsRetainFlag)
            }
        }
    }

    private func later(_ delivery: @escaping () -> Void) {
        deliveries.append(delivery)
        deliveryTimer.set(after: .zero)
    }

    private func makeDeliveries() {
        let present = deliveries
        deliveries = []
        for delivery in present where isConnected { delivery() }
    }

    // MARK: The connection

    private func connect() {
        guard !isConnected else { return }
        let found = kept
        (isConnected, connectedAt) = (true, loop.now)
        due = retainedTopics
        sendWaiting()
        connectionChanged(.connected(BusSession(host: BrokerAddress("broker", port: 1883))))
        deliverRetained(found, by: filters)
    }

    private func deliverRetained(_ messages: [StageMessage], by filters: [BusFilter]) {
        for filter in filters where filter.kind.includesRetained {
            for message in messages where filter.matches(message.topic) {
                later { [weak self] in self?.deliver(message, by: filter, isRetained: true) }
            }
        }
        later { [weak self] in self?.connectionChanged(.subscribed) }
    }

    /// The connection ends, and is made again.
    func lose(isTakeover: Bool) {
        guard isConnected, let connectedAt else { return }
        let end = ConnectionEnd(length: connectedAt.duration(to: loop.now), isTakeover: isTakeover)
        disconnect(retryDelay(end, Self.retryDelay), "lost")
    }

    private func disconnect(_ delay: Duration, _ reason: String) {
        isConnected = false
        (deliveries, due) = ([], [])
        connectTimer.set(after: delay)
        connectionChanged(.disconnected(reason: reason, retryIn: delay))
    }

    func start(after wait: Duration) { connectTimer.set(after: wait) }

    func pause(for delay: Duration, _ reason: String) { if isConnected { disconnect(delay, reason) } }

    func subscribe(_ filters: [BusFilter]) {
        let added = filters.filter { !self.filters.contains($0) }
        self.filters += added
        if isConnected { deliverRetained(kept, by: added) }
    }

    func unsubscribe(_ filters: [BusFilter]) { self.filters.removeAll { filters.contains($0) } }

    func stop(then: @escaping () -> Void) {
        connectTimer.cancel()
        sendWaiting()
        isConnected = false
        then()
    }

    // MARK: BusPublisher

    var hasCapacity: Bool { isConnected && !isHeld && !isFull && waiting.isEmpty }
    var isDrained: Bool { isConnected && !isHeld && due.isEmpty && waiting.isEmpty }

    func retain(_ topic: String, _ payload: [UInt8], _ properties: BusProperties?) {
        retain(topic, Retained(properties: properties, payload: { payload }))
    }

    func retain(_ topic: String, making payload: @escaping () -> [UInt8]) {
        retain(topic, Retained(properties: nil, payload: payload))
    }

    private func retain(_ topic: String, _ message: Retained) {
        if retained.updateValue(message, forKey: topic) == nil { retainedTopics.append(topic) }
        guard isConnected, !isHeld else { return }
        if isFull {
            if !due.contains(topic) { due.append(topic) }
        } else {
            send(topic)
        }
    }

    func republish(_ topics: Set<String>?) {
        guard isConnected, !isHeld else { return }
        due = retainedTopics.filter { topics?.contains($0) ?? true || due.contains($0) }
        sendWaiting()
    }

    func stopRetaining(_ topics: Set<String>) {
        retainedTopics.removeAll(where: topics.contains)
        due.removeAll(where: topics.contains)
        for topic in topics { retained[topic] = nil }
    }

    func publishQueued(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties?,
        group: String?
    ) {
        let message = StageMessage(topic, payload, qos, properties)
        if hasCapacity { take(message) } else { waiting.append(Waiting(message: message, group: group)) }
    }

    func publishAhead(
        _ topic: String, _ payload: [UInt8], retain: Bool, received: @escaping () -> Void
    ) {
        guard isConnected else { return }
        var message = StageMessage(topic, payload, .atLeastOnce, nil)
        message.isRetained = retain
        take(message)
        later(received)
    }

    func withdraw(group: String) { waiting.removeAll { $0.group == group } }

    func publishIfReady(_ topic: String, _ payload: [UInt8], _ properties: BusProperties?) -> Bool {
        guard isConnected, !isHeld, !isFull else { return false }
        take(StageMessage(topic, payload, .atMostOnce, properties))
        return true
    }

    private func send(_ topic: String) {
        guard let message = retained[topic] else { return }
        var sent = StageMessage(topic, message.payload(), .atLeastOnce, message.properties)
        sent.isRetained = true
        take(sent)
    }

    private func sendWaiting() {
        guard isConnected, !isHeld, !isFull else { return }
        let topics = due
        due = []
        for topic in topics { send(topic) }
        let messages = waiting
        waiting = []
        for message in messages { take(message.message) }
    }
}

extension StageMessage {
    fileprivate init(
        _ topic: String, _ payload: [UInt8], _ qos: QualityOfService, _ properties: BusProperties?
    ) {
        self.init(topic, payload)
        self.qos = Int(qos.rawValue)
        (responseTopic, correlation) = (properties?.responseTopic, properties?.correlation)
        (contentType, user) = (properties?.contentType, properties?.user ?? [])
        expiry = (properties?.expiry).map { Int($0) }
    }
}

extension BusFilter {
    /// Whether a topic matches (MQTT 5, 4.7).
    fileprivate func matches(_ topic: String) -> Bool {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        let parts = filter.split(separator: "/", omittingEmptySubsequences: false)
        for (place, part) in parts.enumerated() {
            if part == "#" { return true }
            guard place < levels.count, part == "+" || part == levels[place] else { return false }
        }
        return parts.count == levels.count
    }
}
