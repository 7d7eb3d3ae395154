import TestSupport

@testable import Bus

/// A bus that keeps what is published.
final class CollectingBus: BusPublisher {
    struct Message {
        let topic: String
        let payload: [UInt8]
        let qos: QualityOfService
        let isRetained: Bool
        let properties: BusProperties?
        let group: String?

        var json: JSONValue { JSONValue(payload) }
        var text: String { String(decoding: payload, as: UTF8.self) }
    }

    var isConnected = true
    var hasCapacity = true
    var isDrained = true
    /// Everything that was published, in order.
    private(set) var messages: [Message] = []
    /// The calls of `republish`; nil: of all topics.
    private(set) var republished: [Set<String>?] = []
    private(set) var stopped: Set<String> = []
    /// The groups of the calls of `withdraw`.
    private(set) var withdrawn: [String] = []

    var retainedTopics: [String] {
        messages.filter(\.isRetained).reduce(into: []) { topics, message in
            if !topics.contains(message.topic) { topics.append(message.topic) }
        }
    }

    func messages(on topic: String) -> [Message] { messages.filter { $0.topic == topic } }

    /// The last message on a topic as JSON.
    func last(on topic: String) -> JSONValue { messages.last { $0.topic == topic }?.json ?? .null }

    func removeAll() { messages = [] }

    // MARK: BusPublisher

    func retain(_ topic: String, _ payload: [UInt8], _ properties: BusProperties?) {
        add(topic, payload, .atLeastOnce, isRetained: true, properties)
    }

    func retain(_ topic: String, making payload: @escaping () -> [UInt8]) { retain(topic, payload()) }

    func republish(_ topics: Set<String>?) { republished.append(topics) }

    func stopRetaining(_ topics: Set<String>) { stopped.formUnion(topics) }

    func publishQueued(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties?,
        group: String?
    ) {
        add(topic, payload, qos, isRetained: false, properties, group: group)
    }

    /// The messages that were sent ahead, and what is called when the broker has one.
    private(set) var ahead: [(message: Message, received: () -> Void)] = []

    func publishAhead(
        _ topic: String, _ payload: [UInt8], retain: Bool, received: @escaping () -> Void
    ) {
        let message = Message(
            topic: topic, payload: payload, qos: .atLeastOnce, isRetained: retain, properties: nil, group: nil
        )
        ahead.append((message, received))
    }

    func withdraw(group: String) { withdrawn.append(group) }

    func publishIfReady(_ topic: String, _ payload: [UInt8], _ properties: BusProperties?) -> Bool {
        guard hasCapacity else { return false }
        add(topic, payload, .atMostOnce, isRetained: false, properties)
        return true
    }

    private func add(
        _ topic: String, _ payload: [UInt8], _ qos: QualityOfService, isRetained: Bool,
        _ properties: BusProperties?, group: String? = nil
    ) {
        messages.append(
            Message(
                topic: topic, payload: payload, qos: qos, isRetained: isRetained, properties: properties,
                group: group))
    }
}
