import TestSupport
import Testing

@testable import Bus

@Suite struct OneShotQueueTests {
    private func popAll(_ queue: inout OneShotQueue) -> [String] {
        var topics: [String] = []
        while let message = queue.popFirst() { topics.append(message.topic) }
        return topics
    }

    @Test func givesMessagesInOrder() {
        var queue = OneShotQueue(maxCount: 10, maxBytes: 100)
        for topic in ["a", "b", "a"] { queue.append(OneShot(topic, bytes: 3)) }
        #expect(queue.count == 3)
        #expect(queue.byteCount == 9)
        #expect(popAll(&queue) == ["a", "b", "a"])
        #expect(queue.isEmpty)
        #expect(queue.byteCount == 0)
    }

    @Test func dropsTheOldestBeyondTheNumber() {
        var queue = OneShotQueue(maxCount: 3, maxBytes: 100)
        for number in 0..<10 { queue.append(OneShot("\(number)")) }
        #expect(queue.byteCount == 3)
        #expect(popAll(&queue) == ["7", "8", "9"])
    }

    @Test func aFloodWithQoS0DisplacesNoMessageWithQoS1() {
        var queue = OneShotQueue(maxCount: 10, maxBytes: 100)
        queue.append(OneShot("answer"))
        for _ in 0..<100 {
            queue.append(OneShot("flood", qos: .atMostOnce))
        }
        queue.append(OneShot("next"))
        #expect(popAll(&queue) == ["answer"] + Array(repeating: "flood", count: 4) + ["next"])
    }

    @Test func messagesWithQoS0AreDroppedBeforeOthers() {
        var queue = OneShotQueue(maxCount: 4, maxBytes: 100)
        for (topic, qos) in [("a", QualityOfService.atLeastOnce), ("b", .atMostOnce)] {
            queue.append(OneShot(topic, qos: qos))
        }
        for topic in ["c", "d", "e"] { queue.append(OneShot(topic)) }
        #expect(queue.count == 4)
        queue.append(OneShot("f"))
        #expect(popAll(&queue) == ["c", "d", "e", "f"])
    }

    @Test func messagesWithQoS0AreDroppedForTheBytesOfOthers() {
        var queue = OneShotQueue(maxCount: 100, maxBytes: 10)
        queue.append(OneShot("a", bytes: 2))
        queue.append(OneShot("b", bytes: 2, qos: .atMostOnce))
        queue.append(OneShot("c", bytes: 2, qos: .atMostOnce))
        queue.append(OneShot("d", bytes: 6))
        #expect(queue.byteCount == 10)
        queue.append(OneShot("e", bytes: 2))
        #expect(popAll(&queue) == ["a", "d", "e"])
    }

    @Test func dropsTheOldestBeyondTheBytes() {
        var queue = OneShotQueue(maxCount: 100, maxBytes: 10)
        for (topic, bytes) in [("a", 4), ("b", 4), ("c", 2), ("d", 3)] {
            queue.append(OneShot(topic, bytes: bytes))
        }
        #expect(queue.byteCount == 9)
        #expect(popAll(&queue) == ["b", "c", "d"])
    }

    @Test func keepsASingleMessageThatIsTooLarge() {
        var queue = OneShotQueue(maxCount: 100, maxBytes: 10)
        queue.append(OneShot("a"))
        queue.append(OneShot("large", bytes: 1000))
        #expect(popAll(&queue) == ["large"])
    }

    @Test func messagesThatArePutBackComeFirst() {
        var queue = OneShotQueue(maxCount: 4, maxBytes: 100)
        for topic in ["1", "2", "3"] { queue.append(OneShot(topic)) }
        #expect(queue.popFirst()?.topic == "1")
        queue.putBack([OneShot("0", bytes: 2), OneShot("1", bytes: 2)])
        #expect(queue.byteCount == 6)
        #expect(popAll(&queue) == ["0", "1", "2", "3"])
    }

    @Test func theLimitsHoldForMessagesThatArePutBack() {
        var queue = OneShotQueue(maxCount: 3, maxBytes: 100)
        for topic in ["3", "4"] { queue.append(OneShot(topic)) }
        queue.putBack(["0", "1", "2"].map { OneShot($0) })
        #expect(popAll(&queue) == ["2", "3", "4"])
    }

    @Test(arguments: 1...20) func aMixtureBehavesAsAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = OneShotQueue(maxCount: 40, maxBytes: .max)
        var expected: [(topic: String, isPlain: Bool)] = []
        for number in 0..<3000 {
            switch UInt64.random(in: 0..<100, using: &random) {
            case 0..<30:
                queue.append(OneShot("\(number)", qos: .atMostOnce))
                if expected.count < 20 { expected.append(("\(number)", true)) }
            case 30..<60:
                queue.append(OneShot("\(number)"))
                expected.append(("\(number)", false))
            case 60..<62:
                queue.putBack([OneShot("\(number)")])
                expected.insert(("\(number)", false), at: 0)
            default:
                #expect(queue.popFirst()?.topic == (expected.isEmpty ? nil : expected.removeFirst().topic))
            }
            if expected.count > 40 { expected.remove(at: expected.firstIndex(where: \.isPlain) ?? 0) }
            #expect(queue.count == expected.count)
            #expect(queue.byteCount == expected.count)
        }
        #expect(popAll(&queue) == expected.map(\.topic))
    }

    @Test(arguments: 1...20) func behavesAsAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = OneShotQueue(maxCount: 50, maxBytes: .max)
        var expected: [String] = []
        for number in 0..<3000 {
            if UInt64.random(in: 0..<100, using: &random) < 52 {
                queue.append(OneShot("\(number)"))
                expected.append("\(number)")
                expected.removeFirst(max(0, expected.count - 50))
            } else {
                #expect(queue.popFirst()?.topic == (expected.isEmpty ? nil : expected.removeFirst()))
            }
            #expect(queue.count == expected.count)
            #expect(queue.byteCount == expected.count)
        }
        #expect(popAll(&queue) == expected)
    }

    @Test func aGroupIsRemovedAndTheOthersKeepTheirOrder() {
        var queue = OneShotQueue(maxCount: 10, maxBytes: 100)
        for (topic, group) in [("a", "x"), ("b", nil), ("c", "x"), ("d", "y"), ("e", nil)] {
            queue.append(OneShot(topic, bytes: 3, group: group))
        }
        #expect(queue.popFirst()?.topic == "a")
        queue.remove(group: "x")
        #expect(queue.count == 3 && queue.byteCount == 9)
        #expect(popAll(&queue) == ["b", "d", "e"])
    }
}
