import Testing

@testable import Bus

/// Retained messages of an ``Outbox``.
@Suite struct RetainedTests {
    private var outbox = Outbox.open()

    @Test mutating func aConnectionSendsTheNewestMessagesInTheOrderOfTheirFirstUse() {
        for (topic, text) in [
            ("info", "1"), ("zoom", "1"), ("availability", "offline"), ("availability", "online"),
            ("info", "2"),
        ] {
            outbox.retain(topic, text)
        }
        #expect(!outbox.hasWaiting)
        outbox.connected(window: 10)
        #expect(outbox.hasWaiting)
        #expect(outbox.nextTexts() == ["info=2", "zoom=1", "availability=online"])
        #expect(!outbox.hasWaiting && outbox.retainedTopics == ["info", "zoom", "availability"])
    }

    @Test mutating func statesPrecedeWhatRefersToThem() {
        outbox.queue(Outgoing("answer"))
        outbox.retain("zoom", "1", isDue: true)
        #expect(outbox.nextTopics() == ["zoom", "answer"])
    }

    @Test mutating func aTopicThatIsDueTwiceIsSentOnceWithItsNewestMessage() {
        for text in ["1", "2", "3"] { outbox.retain("zoom", text, isDue: true) }
        #expect(outbox.nextTexts() == ["zoom=3"])
        outbox.retain("zoom", "4", isDue: true)
        #expect(outbox.nextTexts() == ["zoom=4"])
    }

    @Test mutating func dueTopicsAreSentInTheOrderInWhichTheyBecameDue() {
        for topic in ["a", "b", "c"] { outbox.retain(topic, "0") }
        for topic in ["c", "a", "c"] { outbox.retain(topic, "1", isDue: true) }
        #expect(outbox.nextTexts() == ["c=1", "a=1"])
    }

    @Test mutating func aRepublicationOfSomeTopicsKeepsThoseThatAreDue() {
        for topic in ["a", "b", "c", "d"] { outbox.retain(topic, "0") }
        for topic in ["d", "c"] { outbox.retain(topic, "0", isDue: true) }
        outbox.markDue(["a", "c", "unknown"])
        #expect(outbox.nextTopics() == ["a", "c", "d"])
    }

    @Test mutating func aTopicThatIsForgottenIsNotSentAgain() {
        for topic in ["a", "b", "c", "d"] { outbox.retain(topic, "0") }
        for topic in ["d", "a", "c"] { outbox.retain(topic, "1", isDue: true) }
        outbox.stopRetaining(["a", "unknown"])
        #expect(outbox.nextTexts() == ["d=1", "c=1"])
        outbox.connected(window: 10)
        #expect(outbox.nextTexts() == ["b=0", "c=1", "d=1"])
    }

    @Test mutating func aTopicThatIsRetainedAnewIsTheLast() {
        for topic in ["a", "b"] { outbox.retain(topic, "0") }
        outbox.stopRetaining(["a"])
        outbox.retain("a", "1")
        outbox.connected(window: 10)
        #expect(outbox.nextTexts() == ["b=0", "a=1"])
    }

    @Test mutating func aLostConnectionClearsWhatIsDue() {
        outbox.retain("a", "0", isDue: true)
        outbox.connectionLost()
        #expect(!outbox.hasWaiting)
        outbox.retain("a", "1", isDue: true)
        #expect(outbox.nextTexts() == ["a=1"])
    }

    @Test mutating func aMessageIsKeptWithoutTheSpareRoomOfItsEncoder() throws {
        var encoded = Array(repeating: UInt8(ascii: "1"), count: 20_000)
        encoded.reserveCapacity(32_768)
        for content in [RetainedContent.bytes(encoded), .described(encoded, BusProperties(expiry: 1))] {
            outbox.retain("info", content, isDue: true)
            let kept = try #require(outbox.next()?.payload)
            #expect(kept == encoded && kept.capacity < 21_000)
        }
    }

    @Test mutating func aMessageWithLittleSpareRoomIsNotCopied() throws {
        var encoded = Array(repeating: UInt8(ascii: "1"), count: 900)
        encoded.reserveCapacity(1000)
        outbox.retain("zoom", .bytes(encoded), isDue: true)
        let kept = try #require(outbox.next()?.payload)
        #expect(kept.withUnsafeBytes { $0.baseAddress } == encoded.withUnsafeBytes { $0.baseAddress })
    }

    @Test mutating func aMessageThatIsMadeWhenItIsSentIsNotKept() {
        var count = 0
        outbox.retain(
            "config",
            .made {
                count += 1
                return Array("\(count)".utf8)
            }, isDue: false)
        outbox.retain("zoom", "0")
        #expect(count == 0)
        for number in 1...2 {
            outbox.markDue()
            #expect(outbox.nextTexts() == ["config=\(number)", "zoom=0"])
        }
    }
}
