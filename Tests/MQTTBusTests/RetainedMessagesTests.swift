import Testing

@testable import Bus

@Suite struct RetainedMessagesTests {
    private var retained = RetainedMessages()

    @Test mutating func aReconnectSendsTheNewestMessagesInTheOrderOfTheirFirstUse() {
        retained.update("info", "1")
        retained.update("zoom", "1")
        retained.update("availability", "offline")
        retained.update("availability", "online")
        retained.update("info", "2")
        #expect(!retained.hasDue)
        retained.markAllDue()
        #expect(retained.hasDue)
        #expect(retained.popAllDue() == ["info=2", "zoom=1", "availability=online"])
        #expect(!retained.hasDue)
    }

    @Test mutating func aTopicThatIsDueTwiceIsSentOnceWithItsNewestMessage() {
        for text in ["1", "2", "3"] {
            retained.update("zoom", text)
            retained.markDue("zoom")
        }
        #expect(retained.popAllDue() == ["zoom=3"])
    }

    @Test mutating func dueTopicsAreSentInTheOrderInWhichTheyBecameDue() {
        for topic in ["a", "b", "c"] { retained.update(topic, "0") }
        for topic in ["c", "a", "c"] { retained.markDue(topic) }
        #expect(retained.popAllDue() == ["c=0", "a=0"])
    }

    @Test mutating func aRepublicationOfSomeTopicsKeepsThoseThatAreDue() {
        for topic in ["a", "b", "c", "d"] { retained.update(topic, "0") }
        retained.markDue("d")
        retained.markDue("c")
        retained.markDue(["a", "c", "unknown"])
        #expect(retained.popAllDue() == ["a=0", "c=0", "d=0"])
    }

    @Test mutating func aRemovedTopicIsNotSentAgain() {
        for topic in ["a", "b"] { retained.update(topic, "0") }
        retained.markDue("a")
        retained.remove(["a"])
        #expect(!retained.hasDue)
        retained.markAllDue()
        #expect(retained.popAllDue() == ["b=0"])
    }

    @Test mutating func aTopicThatIsRetainedAnewIsTheLast() {
        for topic in ["a", "b"] { retained.update(topic, "0") }
        retained.remove(["a"])
        retained.update("a", "1")
        retained.markAllDue()
        #expect(retained.popAllDue() == ["b=0", "a=1"])
    }

    @Test mutating func aLostConnectionClearsWhatIsDue() {
        retained.update("a", "0")
        retained.markAllDue()
        retained.clearDue()
        #expect(!retained.hasDue)
        retained.markAllDue()
        #expect(retained.popAllDue() == ["a=0"])
    }
}

/// What is kept between two connections.
@Suite struct RetainedMemoryTests {
    private var retained = RetainedMessages()

    @Test mutating func aMessageIsKeptWithoutTheSpareRoomOfItsEncoder() throws {
        var encoded = Array(repeating: UInt8(ascii: "1"), count: 20_000)
        encoded.reserveCapacity(32_768)
        retained.update("info", .init(payload: .bytes(encoded), properties: nil))
        retained.markAllDue()
        let kept = try #require(retained.popDue()?.message.payload.bytes)
        #expect(kept == encoded)
        #expect(kept.capacity < 21_000)
    }

    @Test mutating func aMessageWithLittleSpareRoomIsNotCopied() throws {
        var encoded = Array(repeating: UInt8(ascii: "1"), count: 900)
        encoded.reserveCapacity(1000)
        retained.update("zoom", .init(payload: .bytes(encoded), properties: nil))
        retained.markAllDue()
        let kept = try #require(retained.popDue()?.message.payload.bytes)
        #expect(kept.withUnsafeBytes { $0.baseAddress } == encoded.withUnsafeBytes { $0.baseAddress })
    }

    @Test mutating func aMessageThatIsMadeWhenItIsSentIsNotKept() {
        var count = 0
        retained.update(
            "config",
            .init(
                payload: .made {
                    count += 1
                    return Array("\(count)".utf8)
                }, properties: nil))
        retained.update("zoom", "0")
        #expect(count == 0)
        retained.markAllDue()
        #expect(retained.popAllDue() == ["config=1", "zoom=0"])
        retained.markAllDue()
        #expect(retained.popAllDue() == ["config=2", "zoom=0"])
    }
}
