import TestSupport
import Testing

@testable import Bus

/// Messages that are sent once.
@Suite struct OutboxTests {
    @Test func messagesAreSentInOrder() {
        var outbox = Outbox.open()
        for topic in ["a", "b", "a"] { outbox.queue(Outgoing(topic)) }
        #expect(outbox.hasQueued && outbox.hasWaiting)
        #expect(outbox.nextTopics() == ["a", "b", "a"])
        #expect(!outbox.hasQueued && outbox.isEmpty)
    }

    @Test func theOldestBeyondTheNumberIsDropped() {
        var outbox = Outbox.open(maxCount: 3)
        for number in 0..<10 { outbox.queue(Outgoing("\(number)")) }
        #expect(outbox.nextTopics() == ["7", "8", "9"])
    }

    @Test func aFloodWithQoS0DisplacesNoMessageWithQoS1() {
        var outbox = Outbox.open(maxCount: 10)
        outbox.queue(Outgoing("answer"))
        for number in 0..<100 { outbox.queue(Outgoing("\(number)", qos: .atMostOnce)) }
        outbox.queue(Outgoing("next"))
        #expect(outbox.nextTopics() == ["answer", "next", "95", "96", "97", "98", "99"])
    }

    @Test func messagesWithQoS0AreDroppedBeforeOthers() {
        var outbox = Outbox.open(maxCount: 4)
        outbox.queue(Outgoing("a"))
        outbox.queue(Outgoing("b", qos: .atMostOnce))
        for topic in ["c", "d", "e"] { outbox.queue(Outgoing(topic)) }
        outbox.queue(Outgoing("f", qos: .atMostOnce))
        #expect(outbox.nextTopics() == ["a", "c", "d", "e"])
    }

    @Test func messagesWithQoS0AreDroppedForTheBytesOfOthers() {
        var outbox = Outbox.open(maxBytes: 10)
        outbox.queue(Outgoing("a", bytes: 2))
        for topic in ["b", "c"] { outbox.queue(Outgoing(topic, bytes: 2, qos: .atMostOnce)) }
        for (topic, bytes) in [("d", 4), ("e", 2)] { outbox.queue(Outgoing(topic, bytes: bytes)) }
        #expect(outbox.nextTopics() == ["a", "d", "e", "c"])
    }

    @Test func theOldestBeyondTheBytesIsDropped() {
        var outbox = Outbox.open(maxBytes: 10)
        for (topic, bytes) in [("a", 4), ("b", 4), ("c", 2), ("d", 3)] {
            outbox.queue(Outgoing(topic, bytes: bytes))
        }
        #expect(outbox.nextTopics() == ["b", "c", "d"])
    }

    @Test(arguments: [QualityOfService.atMostOnce, .atLeastOnce])
    func aSingleMessageThatIsTooLargeStays(qos: QualityOfService) {
        var outbox = Outbox.open(maxBytes: 10)
        outbox.queue(Outgoing("a", qos: qos))
        outbox.queue(Outgoing("large", bytes: 1000, qos: qos))
        #expect(outbox.nextTopics() == ["large"])
    }

    @Test func aGroupIsWithdrawnAndTheOthersKeepTheirOrder() {
        var outbox = Outbox.open(maxBytes: 18)
        for (topic, group) in [("a", "x"), ("b", nil), ("c", "x"), ("d", "y"), ("e", nil)] {
            outbox.queue(Outgoing(topic, bytes: 3, group: group))
        }
        #expect(outbox.next()?.topic == "a")
        outbox.withdraw(group: "x")
        // Their bytes are free again.
        outbox.queue(Outgoing("f", bytes: 9))
        #expect(outbox.nextTopics() == ["b", "d", "e", "f"])
    }

    /// Compared with two arrays that do the same slowly.
    @Test(arguments: 1...20) func aMixtureBehavesAsArrays(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var outbox = Outbox.open(maxCount: 40, maxBytes: .max)
        var (reliable, unreliable) = ([String](), [String]())
        func takeFirst() -> String? {
            if !reliable.isEmpty { return reliable.removeFirst() }
            return unreliable.isEmpty ? nil : unreliable.removeFirst()
        }
        for number in 0..<3000 {
            switch UInt64.random(in: 0..<100, using: &random) {
            case 0..<30:
                outbox.queue(Outgoing("\(number)", qos: .atMostOnce))
                unreliable.append("\(number)")
            case 30..<60:
                outbox.queue(Outgoing("\(number)"))
                reliable.append("\(number)")
            default: #expect(outbox.next()?.topic == takeFirst())
            }
            unreliable.removeFirst(max(0, unreliable.count - 20))
            while reliable.count + unreliable.count > 40 {
                if unreliable.isEmpty { reliable.removeFirst() } else { unreliable.removeFirst() }
            }
            #expect(outbox.hasQueued == !(reliable + unreliable).isEmpty)
        }
        #expect(outbox.nextTopics() == reliable + unreliable)
    }
}

/// Messages that the broker has not acknowledged.
@Suite struct InFlightTests {
    @Test func theWindowHoldsBackAllButQoS0() {
        var outbox = Outbox.open(window: 2)
        for (packet, topic) in [(Int32(1), "a"), (2, "b")] { outbox.sent(Outgoing(topic), packet) }
        outbox.queue(Outgoing("c"))
        outbox.queue(Outgoing("d", qos: .atMostOnce))
        #expect(!outbox.hasRoom && outbox.nextTopics() == ["d"])
        #expect(outbox.acknowledged(1) == "a" && outbox.hasRoom && outbox.nextTopics() == ["c"])
        #expect(!outbox.isEmpty && outbox.acknowledged(2) == "b" && outbox.isEmpty)
    }

    @Test func messagesWithQoS0DoNotOvertakeAState() {
        var outbox = Outbox.open(window: 1)
        outbox.sent(Outgoing("a"), 1)
        outbox.retain("zoom", "1", isDue: true)
        outbox.queue(Outgoing("sample", qos: .atMostOnce))
        #expect(outbox.next() == nil)
        #expect(outbox.acknowledged(1) == "a" && outbox.nextTopics() == ["zoom", "sample"])
    }

    @Test func unknownPacketIdentifiersAreIgnored() {
        var outbox = Outbox.open()
        #expect(outbox.acknowledged(7) == nil)
        outbox.sent(Outgoing("a"), 7)
        #expect(outbox.acknowledged(7) == "a" && outbox.acknowledged(7) == nil)
    }

    @Test func whatIsUnacknowledgedComesFirstAgainWithoutRetainedMessages() {
        var outbox = Outbox.open()
        outbox.queue(Outgoing("last"))
        for (packet, topic) in [(Int32(1), "reply"), (2, "event"), (3, "other")] {
            outbox.sent(Outgoing(topic), packet)
        }
        var state = Outgoing("zoom")
        state.isRetained = true
        outbox.sent(state, 4)
        #expect(outbox.acknowledged(2) == "event")
        outbox.connectionLost()
        #expect(outbox.nextTopics() == ["reply", "other", "last"] && outbox.isEmpty)
        outbox.connectionLost()
        #expect(outbox.isEmpty)
    }

    /// Packet identifiers are 1…65,535 and start again at 1.
    @Test func theOrderOfSendingIsKeptWhenPacketIdentifiersStartAgain() {
        var outbox = Outbox.open()
        for packet: Int32 in [65_534, 65_535, 1, 2] { outbox.sent(Outgoing("\(packet)"), packet) }
        outbox.connectionLost()
        #expect(outbox.nextTopics() == ["65534", "65535", "1", "2"])
    }

    @Test func theLimitsHoldForWhatIsPutBack() {
        var outbox = Outbox.open(maxCount: 3)
        for topic in ["3", "4"] { outbox.queue(Outgoing(topic)) }
        for packet: Int32 in 0...2 { outbox.sent(Outgoing("\(packet)"), packet) }
        outbox.connectionLost()
        #expect(outbox.nextTopics() == ["2", "3", "4"])
    }

    @Test func aGroupThatIsWithdrawnIsNotSentAgain() {
        var outbox = Outbox.open()
        outbox.sent(Outgoing("photo", group: "x"), 1)
        outbox.sent(Outgoing("reply"), 2)
        outbox.withdraw(group: "x")
        #expect(!outbox.isEmpty)
        outbox.connectionLost()
        #expect(outbox.nextTopics() == ["reply"])
    }
}

@Suite struct QueueTests {
    @Test(arguments: 1...10) func behavesAsAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (queue, expected) = (Queue<Int>(), [Int]())
        for number in 0..<3000 {
            if UInt64.random(in: 0..<100, using: &random) < 52 {
                queue.append(number)
                expected.append(number)
            } else {
                #expect(queue.popFirst() == (expected.isEmpty ? nil : expected.removeFirst()))
            }
            #expect(queue.count == expected.count && queue.elements == expected)
        }
    }

    /// A queue that never becomes empty must not grow without limit.
    @Test func memoryStaysProportionalToTheElements() {
        var queue = Queue([0])
        for number in 1..<10_000 {
            queue.append(number)
            #expect(queue.popFirst() == number - 1)
        }
        #expect(queue.slots.count <= 40)
    }
}
