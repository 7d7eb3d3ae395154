import Testing

@testable import MQTTBus

@Suite struct ReconnectPolicyTests {
    private var policy = ReconnectPolicy()
    private var longest = ConstantGenerator(value: .max)

    @Test mutating func theDelayDoublesUpToItsMaximum() {
        let delays = (0..<9).map { _ in policy.nextDelay(using: &longest) }
        let expected = [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000].map {
            Duration.milliseconds($0)
        }
        for (delay, expected) in zip(delays, expected) {
            #expect(delay <= expected)
            #expect(delay > expected * 0.99)
        }
    }

    @Test mutating func theDelayIsAtLeastHalfOfItsMaximum() {
        // Zero would never end: the standard library rejects it for this range, and draws again.
        var shortest = ConstantGenerator(value: 1)
        #expect(policy.nextDelay(using: &shortest) == ReconnectPolicy.firstDelay / 2)
        #expect(policy.nextDelay(using: &shortest) == ReconnectPolicy.firstDelay)
    }

    @Test mutating func aStableConnectionResetsTheDelay() {
        for _ in 0..<5 { _ = policy.nextDelay(using: &longest) }
        policy.connectionEnded(after: ReconnectPolicy.stableAfter)
        #expect(policy.nextDelay(using: &longest) <= ReconnectPolicy.firstDelay)
    }

    @Test mutating func aShortConnectionDoesNotResetTheDelay() {
        for _ in 0..<5 { _ = policy.nextDelay(using: &longest) }
        policy.connectionEnded(after: ReconnectPolicy.stableAfter - .milliseconds(1))
        #expect(policy.nextDelay(using: &longest) > .seconds(4))
    }

    @Test mutating func threeShortConnectionsInSuccessionSuggestASharedClientID() {
        for _ in 0..<2 { policy.connectionEnded(after: .seconds(1)) }
        #expect(!policy.suspectsSharedClientID)
        policy.connectionEnded(after: .seconds(1))
        #expect(policy.suspectsSharedClientID)
        policy.connectionEnded(after: .seconds(60))
        #expect(!policy.suspectsSharedClientID)
    }
}
