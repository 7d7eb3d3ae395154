import Testing

@testable import Bus

@Suite struct DeliveryTrackerTests {
    @Test func hasCapacityUntilTheLimitIsReached() {
        var tracker = DeliveryTracker(maxInFlight: 2)
        tracker.sent(1, topic: "a")
        #expect(tracker.hasCapacity)
        tracker.sent(2, topic: "b")
        #expect(!tracker.hasCapacity)
        #expect(tracker.acknowledged(1) == "a")
        #expect(tracker.hasCapacity)
        #expect(!tracker.isEmpty)
        #expect(tracker.acknowledged(2) == "b")
        #expect(tracker.isEmpty)
    }

    @Test func ignoresUnknownPacketIdentifiers() {
        var tracker = DeliveryTracker(maxInFlight: 2)
        #expect(tracker.acknowledged(7) == nil)
        tracker.sent(7, topic: "a")
        #expect(tracker.acknowledged(7) == "a")
        #expect(tracker.acknowledged(7) == nil)
    }

    @Test func returnsUnacknowledgedOneShotsAndNoRetainedMessages() {
        var tracker = DeliveryTracker(maxInFlight: 10)
        tracker.sent(1, topic: "reply", oneShot: OneShot("reply"))
        tracker.sent(2, topic: "zoom")
        tracker.sent(3, topic: "event", oneShot: OneShot("event"))
        tracker.sent(4, topic: "other", oneShot: OneShot("other"))
        #expect(tracker.acknowledged(3) == "event")
        #expect(tracker.takeUnacknowledged().map(\.topic) == ["reply", "other"])
        #expect(tracker.isEmpty)
        #expect(tracker.takeUnacknowledged().isEmpty)
    }

    /// Packet identifiers are 1…65,535 and start again at 1.
    @Test func keepsTheOrderOfSendingWhenPacketIdentifiersStartAgain() {
        var tracker = DeliveryTracker(maxInFlight: 10)
        for packet: Int32 in [65_534, 65_535, 1, 2] {
            tracker.sent(packet, topic: "\(packet)", oneShot: OneShot("\(packet)"))
        }
        #expect(tracker.takeUnacknowledged().map(\.topic) == ["65534", "65535", "1", "2"])
    }

    @Test func aGroupThatIsWithdrawnIsNotReturned() {
        var tracker = DeliveryTracker(maxInFlight: 10)
        tracker.sent(1, topic: "photo", oneShot: OneShot("photo", group: "x"))
        tracker.sent(2, topic: "reply", oneShot: OneShot("reply"))
        tracker.withdraw(group: "x")
        #expect(!tracker.isEmpty && tracker.takeUnacknowledged().map(\.topic) == ["reply"])
    }
}
