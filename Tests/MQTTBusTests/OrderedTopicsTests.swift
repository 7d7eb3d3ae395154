import TestSupport
import Testing

@testable import Bus

@Suite struct OrderedTopicsTests {
    private var topics = OrderedTopics()

    @Test mutating func keepsTheOrderOfTheFirstAddition() {
        for topic in ["b", "a", "c", "a", "b"] { topics.append(topic) }
        #expect(Array(topics) == ["b", "a", "c"])
        #expect(topics.count == 3)
    }

    @Test mutating func popsInOrder() {
        for topic in ["b", "a"] { topics.append(topic) }
        #expect(topics.popFirst() == "b")
        #expect(!topics.contains("b"))
        #expect(topics.popFirst() == "a")
        #expect(topics.popFirst() == nil)
        #expect(topics.isEmpty)
    }

    @Test mutating func aTopicThatWasRemovedIsAddedAtTheEnd() {
        for topic in ["a", "b"] { topics.append(topic) }
        topics.remove("a")
        topics.remove("unknown")
        topics.append("a")
        #expect(Array(topics) == ["b", "a"])
        #expect(topics.popFirst() == "b")
        #expect(topics.popFirst() == "a")
    }

    /// Compared with an array that does the same slowly, through every mixture of operations.
    @Test(arguments: 1...20) func behavesAsAnArrayWithoutDuplicates(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (topics, expected) = (OrderedTopics(), [String]())
        for _ in 0..<2000 {
            let topic = "\(UInt64.random(in: 0..<40, using: &random))"
            switch UInt64.random(in: 0..<100, using: &random) {
            case 0..<55:
                topics.append(topic)
                if !expected.contains(topic) { expected.append(topic) }
            case 55..<75:
                topics.remove(topic)
                expected.removeAll { $0 == topic }
            case 75..<99: #expect(topics.popFirst() == (expected.isEmpty ? nil : expected.removeFirst()))
            default:
                topics.removeAll()
                expected = []
            }
            #expect(topics.isEmpty == expected.isEmpty)
            #expect(topics.contains(topic) == expected.contains(topic))
            #expect(Array(topics) == expected)
        }
    }

    /// A queue that never becomes empty must not grow without limit.
    @Test func memoryStaysProportionalToTheTopics() {
        var topics = OrderedTopics()
        topics.append("first")
        for number in 0..<100_000 {
            topics.append("\(number)")
            _ = topics.popFirst()
        }
        #expect(topics.slots.count <= 32)
        for number in 0..<100_000 {
            topics.append("again \(number)")
            topics.remove("again \(number)")
        }
        #expect(topics.slots.count <= 32)
    }
}
