/// A message for the broker.
struct Outgoing {
    let topic: String
    let payload: [UInt8]
    let qos: QualityOfService
    var isRetained = false
    var properties: BusProperties?
    /// Names the messages that are withdrawn together; nil: the message is never withdrawn.
    var group: String?

    /// The size of its PUBLISH packet (MQTT 5, 3.3).
    func packetSize(_ qos: QualityOfService) -> Int {
        let list = properties?.byteCount ?? 0
        let packet = qos == .atMostOnce ? 0 : 2
        let remaining =
            2 + topic.utf8.count + packet + Self.sizeOfNumber(list) + list + payload.count
        return 1 + Self.sizeOfNumber(remaining) + remaining
    }

    /// The bytes of a variable byte integer (MQTT 5, 1.5.5).
    private static func sizeOfNumber(_ number: Int) -> Int {
        number < 128 ? 1 : 1 + sizeOfNumber(number >> 7)
    }
}

/// What is to be sent, and in which order. It has no clock and no connection.
///
/// Of a retained topic the newest message is kept, and is due again with each connection. Any other message
/// is sent once: it waits for the broker, and, if it was not acknowledged, for the next connection. It may
/// then arrive twice, but is not lost. If too many wait, those with QoS 0 are dropped first, and have half of
/// the room at most: the answers to a flood with QoS 0 must not displace answers to clients that wait for
/// acknowledgements.
struct Outbox {
    private struct Entry {
        let topic: String
        var content: RetainedContent
        var isDue = false
    }

    /// A message that was sent and is not acknowledged.
    private struct InFlight {
        let topic: String
        /// What is sent again if the connection ends; nil: it is retained, or was withdrawn.
        var again: Outgoing?
        /// Position in the order of sending. Packet identifiers do not give it: they start again at 1 after
        /// 65,535.
        let number: Int
    }

    private let maxCount: Int
    private let maxBytes: Int
    /// In the order of their first use. They are republished in this order, so that `online` follows the
    /// states that it stands for.
    private var retained: [Entry] = []
    private var places: [String: Int] = [:]
    /// The places of the retained messages that are to be sent, in the order in which they became due.
    private var due = Queue<Int>()
    /// Messages with QoS 1 and 2 that wait.
    private var reliable = Waiting()
    /// Messages with QoS 0 that wait.
    private var unreliable = Waiting()
    /// By packet identifier.
    private var inFlight: [Int32: InFlight] = [:]
    private var sentCount = 0
    /// Messages that may be unacknowledged at a time.
    private var window = 0

    /// - Parameters:
    ///   - maxCount: of the messages that wait and are not retained.
    ///   - maxBytes: of their payloads.
    init(maxCount: Int, maxBytes: Int) { (self.maxCount, self.maxBytes) = (maxCount, maxBytes) }

    /// The retained topics, in the order of their first use.
    var retainedTopics: [String] { retained.map(\.topic) }

    /// Whether messages wait that are not retained.
    var hasQueued: Bool { !reliable.isEmpty || !unreliable.isEmpty }

    /// Whether a message waits.
    var hasWaiting: Bool { !due.isEmpty || hasQueued }

    /// Whether everything was sent and acknowledged.
    var isEmpty: Bool { inFlight.isEmpty && !hasWaiting }

    /// Whether another message may be sent before one is acknowledged.
    var hasRoom: Bool { inFlight.count < window }

    /// The next message that may be sent. Retained messages go first, because answers and events refer to the
    /// states in them. Messages with QoS 0 need not wait for the acknowledgements of others, but do not
    /// overtake a state that they may refer to.
    mutating func next() -> Outgoing? {
        guard hasRoom else { return due.isEmpty ? unreliable.popFirst() : nil }
        guard let place = due.popFirst() else { return reliable.popFirst() ?? unreliable.popFirst() }
        retained[place].isDue = false
        let (payload, properties) = retained[place].content.value
        return Outgoing(
            topic: retained[place].topic, payload: payload, qos: .atLeastOnce, isRetained: true,
            properties: properties)
    }

    /// Notes that a message was sent with this packet identifier.
    mutating func sent(_ message: Outgoing, _ packet: Int32) {
        sentCount += 1
        inFlight[packet] = InFlight(
            topic: message.topic, again: message.isRetained ? nil : message, number: sentCount)
    }

    /// Removes an acknowledged message. Returns its topic; nil if the packet identifier is unknown.
    mutating func acknowledged(_ packet: Int32) -> String? { inFlight.removeValue(forKey: packet)?.topic }

    /// A connection has begun: all retained messages are due, in the order of their first use.
    mutating func connected(window: Int) {
        self.window = window
        markDue()
    }

    /// Puts the unacknowledged messages back in front of those that wait. The next connection sends all
    /// retained messages.
    mutating func connectionLost() {
        let again = inFlight.values.sorted { $0.number < $1.number }.compactMap(\.again)
        inFlight.removeAll(keepingCapacity: true)
        reliable = Waiting(again + reliable.messages)
        dropOldest()
        for place in due.elements { retained[place].isDue = false }
        due = Queue()
    }
}

// MARK: Retained messages

extension Outbox {
    /// Replaces the message of a topic.
    ///
    /// - Parameter isDue: whether it is to be sent with this connection; it keeps its place among those that
    ///   are due already.
    mutating func retain(_ topic: String, _ content: RetainedContent, isDue: Bool) {
        let place = places[topic] ?? retained.count
        if place == retained.count {
            places[topic] = place
            retained.append(Entry(topic: topic, content: content.withoutSpareRoom))
        } else {
            retained[place].content = content.withoutSpareRoom
        }
        guard isDue, !retained[place].isDue else { return }
        retained[place].isDue = true
        due.append(place)
    }

    /// Marks topics as due; nil: all. All due topics are then in the order of their first use. Unknown topics
    /// are ignored.
    mutating func markDue(_ topics: Set<String>? = nil) {
        for place in retained.indices where topics?.contains(retained[place].topic) ?? true {
            retained[place].isDue = true
        }
        due = Queue(retained.indices.filter { retained[$0].isDue })
    }

    /// Forgets topics. They are not sent again.
    mutating func stopRetaining(_ topics: Set<String>) {
        let waiting = due.elements.map { retained[$0].topic }
        retained.removeAll { topics.contains($0.topic) }
        places = [:]
        for (place, entry) in retained.enumerated() { places[entry.topic] = place }
        due = Queue(waiting.compactMap { places[$0] })
    }
}

// MARK: Messages that are sent once

extension Outbox {
    mutating func queue(_ message: Outgoing) {
        if message.qos == .atMostOnce { unreliable.append(message) } else { reliable.append(message) }
        dropOldest()
    }

    /// Withdraws the messages of a group: those that wait are not sent, and those that were sent are not sent
    /// again.
    mutating func withdraw(group: String) {
        reliable.remove(group: group)
        unreliable.remove(group: group)
        for (packet, message) in inFlight where message.again?.group == group {
            inFlight[packet]?.again = nil
        }
    }

    private mutating func dropOldest() {
        while unreliable.exceeds(maxCount / 2, maxBytes / 2) { _ = unreliable.popFirst() }
        while reliable.exceeds(maxCount, maxBytes, with: unreliable) {
            if unreliable.popFirst() == nil { _ = reliable.popFirst() }
        }
    }
}
