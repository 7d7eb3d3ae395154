@testable import MQTTBus

/// A generator whose numbers are all the same: the smallest or the largest.
struct ConstantGenerator: RandomNumberGenerator {
    let value: UInt64
    mutating func next() -> UInt64 { value }
}

extension OneShot {
    init(
        _ topic: String, bytes: Int = 1, qos: QualityOfService = .atLeastOnce, group: String? = nil
    ) {
        self.init(
            topic: topic, payload: [UInt8](repeating: 0, count: bytes), qos: qos, properties: nil,
            group: group)
    }
}

extension RetainedMessages {
    /// Replaces the message of a topic with a text.
    mutating func update(_ topic: String, _ text: String) {
        update(topic, Message(payload: .bytes(Array(text.utf8)), properties: nil))
    }

    /// Removes all due messages: `topic=text` for each.
    mutating func popAllDue() -> [String] {
        var popped: [String] = []
        while let (topic, message) = popDue() {
            popped.append("\(topic)=\(String(decoding: message.payload.bytes, as: UTF8.self))")
        }
        return popped
    }
}
