/// The newest retained message of each topic, and the topics whose newest message is still to be sent.
struct RetainedMessages {
    struct Message {
        let payload: Payload
        let properties: BusProperties?
    }

    /// The bytes of a message, or the function that makes them each time they are sent.
    enum Payload {
        case bytes([UInt8])
        case made(by: () -> [UInt8])

        var bytes: [UInt8] {
            switch self {
            case .bytes(let bytes): bytes
            case .made(let make): make()
            }
        }
    }

    /// A message as it is kept. Few messages have properties, which are large: they are kept outside, so that
    /// the table of many thousand topics stays small.
    private struct Kept {
        final class Properties {
            let value: BusProperties
            init(_ value: BusProperties) { self.value = value }
        }

        let payload: Payload
        let properties: Properties?

        init(_ message: Message) {
            payload = message.payload.withoutSpareRoom
            properties = message.properties.map(Properties.init)
        }

        var message: Message { Message(payload: payload, properties: properties?.value) }
    }

    private var messages: [String: Kept] = [:]
    /// All topics, in the order of their first use. They are republished in this order, so that `online`
    /// follows the states that it stands for.
    private var topics = OrderedTopics()
    /// The topics that are to be sent.
    private var due = OrderedTopics()

    /// All topics, in the order of their first use.
    var allTopics: [String] { Array(topics) }

    /// Whether a message is still to be sent.
    var hasDue: Bool { !due.isEmpty }

    /// Replaces the message of a topic. Does not mark it as due.
    mutating func update(_ topic: String, _ message: Message) {
        if messages.updateValue(Kept(message), forKey: topic) == nil { topics.append(topic) }
    }

    /// Marks a topic as due, behind those that are due already.
    mutating func markDue(_ topic: String) { due.append(topic) }

    /// Marks all topics as due, in the order of their first use.
    mutating func markAllDue() { due = topics }

    /// Marks topics as due. All due topics are then in the order of their first use. Unknown topics are
    /// ignored.
    mutating func markDue(_ added: Set<String>) {
        let previous = due
        due.removeAll()
        for topic in topics where added.contains(topic) || previous.contains(topic) { due.append(topic) }
    }

    /// Unmarks all topics.
    mutating func clearDue() { due.removeAll() }

    /// The first topic that is due, with its newest message. It is no longer due.
    mutating func popDue() -> (topic: String, message: Message)? {
        while let topic = due.popFirst() {
            if let kept = messages[topic] { return (topic, kept.message) }
        }
        return nil
    }

    mutating func remove(_ removed: Set<String>) {
        for topic in removed {
            messages[topic] = nil
            topics.remove(topic)
            due.remove(topic)
        }
    }
}

extension RetainedMessages.Payload {
    /// The same bytes, in an array of their size if more than a fifth of the array is spare room. Messages
    /// are kept until a newer one replaces them; an encoder's array is up to twice as long as its message.
    fileprivate var withoutSpareRoom: Self {
        guard case .bytes(let bytes) = self, bytes.capacity - bytes.count > bytes.capacity / 5 else {
            return self
        }
        return .bytes(
            [UInt8](unsafeUninitializedCapacity: bytes.count) { copy, count in
                count = copy.initialize(fromContentsOf: bytes)
            })
    }
}
