/// The newest retained message of each topic, and the topics whose newest message is still to be sent.
struct RetainedMessages {
    struct Message {
        let payload: [UInt8]
        let properties: BusProperties?
    }

    private var messages: [String: Message] = [:]
    /// All topics, in the order of their first use. They are republished in this order, so that `online`
    /// follows the states that it stands for.
    private var topics = OrderedTopics()
    /// The topics that are to be sent.
    private var due = OrderedTopics()

    /// Whether a message is still to be sent.
    var hasDue: Bool { !due.isEmpty }

    /// Replaces the message of a topic. Does not mark it as due.
    mutating func update(_ topic: String, _ message: Message) {
        if messages.updateValue(message, forKey: topic) == nil { topics.append(topic) }
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
            if let message = messages[topic] { return (topic, message) }
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
