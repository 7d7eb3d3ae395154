internal import LoopThread
internal import MQTTBus

/// Finds out on each connection whether the broker still has the documents of this agent, and publishes those
/// that it lost, or that changed without a connection.
///
/// The agent subscribes to the topics of its documents anyway, as Home Assistant empties them. So the broker
/// sends what it has on them, once for each connection. A document that is as it should be isn't published
/// again: that would be as many bytes, and the broker would store them and pass them on to every Home
/// Assistant, which reads the whole device again. What the broker has is compared and not concluded from
/// anything else: brokers lose messages of some topics only, for instance on another node of a cluster.
final class DocumentCheck {
    /// How long a broker may take to answer the subscriptions.
    private static let subscriptionTime = Duration.seconds(10)
    /// How long after the answer retained messages may arrive.
    private static let listeningTime = Duration.milliseconds(500)

    private let bus: any BusPublisher
    private let loop: EventLoop
    /// The documents by their topics.
    private var documents: [String: () -> [UInt8]] = [:]
    /// The topics on which the broker hasn't sent the right document on this connection.
    private var unconfirmed: Set<String> = []
    private lazy var timer = loop.timer { [weak self] in self?.publishUnconfirmed() }

    init(_ bus: any BusPublisher, on loop: EventLoop) { (self.bus, self.loop) = (bus, loop) }

    /// A document is published.
    func published(_ topic: String, making document: @escaping () -> [UInt8]) {
        documents[topic] = document
        if bus.isConnected { unconfirmed.remove(topic) }
    }

    /// There is no document any more on this topic.
    func removed(_ topic: String) {
        documents[topic] = nil
        unconfirmed.remove(topic)
    }

    func connected() {
        unconfirmed = Set(documents.keys)
        if !unconfirmed.isEmpty { timer.set(after: Self.subscriptionTime) }
    }

    /// The broker has answered the subscriptions.
    func subscribed() {
        if !unconfirmed.isEmpty { timer.set(after: Self.listeningTime) }
    }

    func disconnected() { timer.cancel() }

    /// The broker has this on a topic.
    func received(_ payload: [UInt8], on topic: String) {
        if unconfirmed.contains(topic), documents[topic]?() == payload { unconfirmed.remove(topic) }
    }

    private func publishUnconfirmed() {
        if !unconfirmed.isEmpty { bus.republish(unconfirmed) }
        unconfirmed = []
    }
}
