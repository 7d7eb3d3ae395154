/// A set of topics in the order in which they were added. Each operation on one topic takes constant time.
struct OrderedTopics {
    /// More than the topics of one camera, so that its states need no new memory.
    private static let maxKeptCapacity = 64

    /// The topics by slot. A removed topic leaves nil behind until the slots are compacted.
    private(set) var slots: [String?] = []
    private var slotOfTopic: [String: Int] = [:]
    /// The slots below this one are empty.
    private var firstUsed = 0

    var count: Int { slotOfTopic.count }
    var isEmpty: Bool { slotOfTopic.isEmpty }

    func contains(_ topic: String) -> Bool { slotOfTopic[topic] != nil }

    /// Adds a topic at the end. A topic that is already in the set keeps its place.
    mutating func append(_ topic: String) {
        guard slotOfTopic[topic] == nil else { return }
        slotOfTopic[topic] = slots.count
        slots.append(topic)
    }

    mutating func remove(_ topic: String) {
        guard let slot = slotOfTopic.removeValue(forKey: topic) else { return }
        slots[slot] = nil
        compactIfSparse()
    }

    /// Removes the first topic and returns it; nil if the set is empty.
    mutating func popFirst() -> String? {
        while firstUsed < slots.count {
            let slot = firstUsed
            firstUsed += 1
            guard let topic = slots[slot] else { continue }
            slots[slot] = nil
            slotOfTopic[topic] = nil
            if isEmpty { removeAll() } else { compactIfSparse() }
            return topic
        }
        return nil
    }

    /// The memory of few topics is kept for the next ones.
    mutating func removeAll() {
        let isSmall = slots.capacity <= Self.maxKeptCapacity
        slots.removeAll(keepingCapacity: isSmall)
        slotOfTopic.removeAll(keepingCapacity: isSmall)
        firstUsed = 0
    }

    /// Removes the empty slots when they outnumber the topics, so that the memory stays proportional to the
    /// topics.
    private mutating func compactIfSparse() {
        guard slots.count > 16, slots.count > 2 * count else { return }
        slots = slots.filter { $0 != nil }
        firstUsed = 0
        for (slot, topic) in slots.enumerated() {
            if let topic { slotOfTopic[topic] = slot }
        }
    }
}

extension OrderedTopics: Sequence {
    func makeIterator() -> some IteratorProtocol<String> {
        slots[firstUsed...].lazy.compactMap(\.self).makeIterator()
    }
}
