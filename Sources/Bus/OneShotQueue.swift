/// A message that is published once: an answer, an event or a sample.
struct OneShot {
    let topic: String
    let payload: [UInt8]
    let qos: QualityOfService
    let properties: BusProperties?
    /// Names the messages that are withdrawn together; nil: the message is never withdrawn.
    var group: String?
}

/// One-shot messages that wait until the broker can take them. If there are too many, the oldest with QoS 0
/// are dropped, and only then the oldest of the others: the answers to a flood with QoS 0 must not displace
/// answers to clients that wait for acknowledgements. For the same reason messages with QoS 0 have half of
/// the room at most.
struct OneShotQueue {
    private let maxCount: Int
    private let maxBytes: Int
    /// The waiting messages are those from `first` on; what is before it has been taken. Nil among them: it
    /// was dropped.
    private var messages: [OneShot?] = []
    private var first = 0
    /// No message before this one has QoS 0.
    private var firstQoS0 = 0
    private(set) var count = 0
    /// How many of the messages have QoS 0.
    private var qos0Count = 0
    /// The sum of the payloads.
    private(set) var byteCount = 0

    init(maxCount: Int, maxBytes: Int) {
        (self.maxCount, self.maxBytes) = (maxCount, maxBytes)
    }

    var isEmpty: Bool { count == 0 }

    /// Adds a message at the end. One with QoS 0 is dropped if the queue is half full.
    mutating func append(_ message: OneShot) {
        let isHalfFull = count >= maxCount / 2 || byteCount >= maxBytes / 2
        if message.qos == .atMostOnce && isHalfFull { return }
        messages.append(message)
        note(message, 1)
        dropOldest()
    }

    /// Puts messages back in front of those that wait.
    mutating func putBack(_ returned: [OneShot]) {
        messages.replaceSubrange(..<first, with: returned)
        (first, firstQoS0) = (0, 0)
        for message in returned { note(message, 1) }
        dropOldest()
    }

    /// Removes the messages of a group.
    mutating func remove(group: String) {
        for index in messages.indices.dropFirst(first) where messages[index]?.group == group {
            _ = take(index)
        }
        if isEmpty { shorten() }
    }

    mutating func popFirst() -> OneShot? {
        while first < messages.count {
            let message = take(first)
            first += 1
            if let message {
                shorten()
                return message
            }
        }
        return nil
    }

    /// Removes a message from its place, which stays.
    private mutating func take(_ place: Int) -> OneShot? {
        guard let message = messages[place] else { return nil }
        messages[place] = nil
        note(message, -1)
        return message
    }

    /// Counts a message that was added (1) or removed (-1).
    private mutating func note(_ message: OneShot, _ change: Int) {
        count += change
        byteCount += change * message.payload.count
        if message.qos == .atMostOnce { qos0Count += change }
    }

    /// Frees the places of messages that have been taken.
    private mutating func shorten() {
        if isEmpty {
            messages.removeAll(keepingCapacity: true)
            (first, firstQoS0) = (0, 0)
        } else if first > 16 && first > messages.count / 2 {
            messages.removeFirst(first)
            (first, firstQoS0) = (0, max(0, firstQoS0 - first))
        }
    }

    /// A single message stays, however large it is.
    private mutating func dropOldest() {
        while count > maxCount || (byteCount > maxBytes && count > 1) {
            if qos0Count > 0 { dropOldestQoS0() } else { _ = popFirst() }
        }
    }

    private mutating func dropOldestQoS0() {
        firstQoS0 = max(firstQoS0, first)
        while firstQoS0 < messages.count {
            let place = firstQoS0
            firstQoS0 += 1
            if messages[place]?.qos == .atMostOnce {
                _ = take(place)
                return
            }
        }
    }
}
