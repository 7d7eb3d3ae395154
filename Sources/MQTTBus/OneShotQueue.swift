/// A message that is published once: an answer, an event or a sample.
struct OneShot {
    let topic: String
    let payload: [UInt8]
    let qos: QualityOfService
    let properties: BusProperties?
}

/// One-shot messages that wait until the broker can take them. If there are too many, the oldest are dropped.
/// Messages with QoS 0 have half of the room at most: the answers to a flood with QoS 0 must not displace
/// answers to other clients.
struct OneShotQueue {
    private let maxCount: Int
    private let maxBytes: Int
    /// The waiting messages are those from `first` on; what is before it has been taken.
    private var messages: [OneShot?] = []
    private var first = 0
    /// The sum of the payloads.
    private(set) var byteCount = 0

    init(maxCount: Int, maxBytes: Int) {
        (self.maxCount, self.maxBytes) = (maxCount, maxBytes)
    }

    var count: Int { messages.count - first }
    var isEmpty: Bool { count == 0 }

    /// Adds a message at the end. One with QoS 0 is dropped if the queue is half full.
    mutating func append(_ message: OneShot) {
        let isHalfFull = count >= maxCount / 2 || byteCount >= maxBytes / 2
        if message.qos == .atMostOnce && isHalfFull { return }
        messages.append(message)
        byteCount += message.payload.count
        dropOldest()
    }

    /// Puts messages back in front of those that wait.
    mutating func putBack(_ returned: [OneShot]) {
        messages.replaceSubrange(..<first, with: returned)
        first = 0
        byteCount += returned.reduce(0) { $0 + $1.payload.count }
        dropOldest()
    }

    mutating func popFirst() -> OneShot? {
        guard first < messages.count, let message = messages[first] else { return nil }
        messages[first] = nil
        first += 1
        byteCount -= message.payload.count
        if isEmpty {
            messages.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 16 && first > messages.count / 2 {
            messages.removeFirst(first)
            first = 0
        }
        return message
    }

    /// A single message stays, however large it is.
    private mutating func dropOldest() {
        while count > maxCount || (byteCount > maxBytes && count > 1) { _ = popFirst() }
    }
}
