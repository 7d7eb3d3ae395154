/// First in, first out, in constant time.
struct Queue<Element> {
    /// Room that is kept when the queue is empty: enough for the states of several cameras.
    private static var maxKeptCapacity: Int { 64 }

    /// The elements are those from `start` on. What is before it was taken, and is nil.
    private(set) var slots: [Element?]
    private var start = 0

    init(_ elements: [Element] = []) { slots = elements }

    var count: Int { slots.count - start }
    var isEmpty: Bool { count == 0 }
    var elements: [Element] { slots[start...].compactMap(\.self) }

    mutating func append(_ element: Element) { slots.append(element) }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = slots[start].take()
        start += 1
        if isEmpty {
            slots.removeAll(keepingCapacity: slots.capacity <= Self.maxKeptCapacity)
            start = 0
        } else if start > 16 && start > slots.count / 2 {
            slots.removeFirst(start)
            start = 0
        }
        return element
    }
}

/// Messages that wait, with the sum of their payloads.
struct Waiting {
    private var queue: Queue<Outgoing>
    private(set) var byteCount: Int

    init(_ messages: [Outgoing] = []) {
        queue = Queue(messages)
        byteCount = messages.reduce(0) { $0 + $1.payload.count }
    }

    var count: Int { queue.count }
    var isEmpty: Bool { queue.isEmpty }
    var messages: [Outgoing] { queue.elements }

    mutating func append(_ message: Outgoing) {
        queue.append(message)
        byteCount += message.payload.count
    }

    mutating func popFirst() -> Outgoing? {
        let message = queue.popFirst()
        byteCount -= message?.payload.count ?? 0
        return message
    }

    mutating func remove(group: String) {
        if !isEmpty { self = Waiting(messages.filter { $0.group != group }) }
    }

    /// Whether the oldest has to go, as these messages and others are too many together. A single message
    /// stays, however large it is.
    func exceeds(_ maxCount: Int, _ maxBytes: Int, with others: Waiting = Waiting()) -> Bool {
        let count = count + others.count
        return count > maxCount || (byteCount + others.byteCount > maxBytes && count > 1)
    }
}
