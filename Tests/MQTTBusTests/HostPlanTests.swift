import Settings
import TestSupport
import Testing

@testable import Bus

/// A plan, and its steps with their targets.
private struct Rig {
    typealias Taken = (target: (host: Int, address: Int), delay: Duration?)

    var plan: HostPlan
    var target: (host: Int, address: Int) { (plan.host, plan.address) }

    init(_ count: Int, _ order: HostOrder = .listed, seed: UInt64 = 1) {
        plan = HostPlan(hostCount: count, order: order, generator: SeededGenerator(seed: seed))
    }

    mutating func fail(addresses: Int = 1) -> Taken {
        let delay = plan.failed(addresses: addresses)
        return (target, delay)
    }

    mutating func end(after length: Duration) -> (target: (host: Int, address: Int), delay: Duration) {
        let delay = plan.ended(after: length)
        return (target, delay)
    }
}

@Suite struct HostPlanTests {
    private let stable = HostPlan.stableAfter

    @Test func eachHostIsTriedOnceWithoutADelayBetweenThem() throws {
        var rig = Rig(3)
        #expect(rig.target.host == 0)
        for host in 1...2 {
            let step = rig.fail()
            #expect(step.target.host == host && step.delay == nil)
        }
        let step = rig.fail()
        #expect(step.target.host == 0)
        let delay = try #require(step.delay)
        #expect(delay > .zero && delay <= HostPlan.firstDelay)
    }

    @Test func theDelayGrowsFromRoundToRound() throws {
        var rig = Rig(2)
        var delays: [Duration] = []
        for _ in 0..<5 {
            #expect(rig.fail().delay == nil)
            delays.append(try #require(rig.fail().delay))
        }
        #expect(delays[4] >= .seconds(2) && delays[4] <= .seconds(4))
    }

    @Test func eachAddressOfAHostIsTriedBeforeTheNextHost() {
        var rig = Rig(2)
        #expect(rig.fail(addresses: 2).target == (0, 1))
        #expect(rig.fail(addresses: 2).target == (1, 0))
    }

    @Test func aHostWithoutAnAddressIsLeftAtOnce() {
        var rig = Rig(2)
        #expect(rig.fail(addresses: 0).target.host == 1)
    }

    @Test(arguments: UInt64(1)...20)
    func aRandomRoundHasEachHostOnce(seed: UInt64) {
        var rig = Rig(5, .random, seed: seed)
        for _ in 0..<3 {
            var hosts = [rig.target.host]
            for _ in 0..<4 { hosts.append(rig.fail().target.host) }
            #expect(hosts.sorted() == [0, 1, 2, 3, 4])
            #expect(rig.fail().delay != nil)
        }
    }

    @Test func randomRoundsDiffer() {
        let first = (1...64).map { Rig(4, .random, seed: $0).target.host }
        #expect(Set(first) == [0, 1, 2, 3])
    }

    @Test func afterALongConnectionTheNextHostIsTriedAtOnceAndItsOwnLast() {
        var rig = Rig(3)
        _ = rig.fail()
        #expect(rig.target.host == 1)
        let step = rig.end(after: stable)
        #expect(step.target.host == 2 && step.delay == .zero)
        #expect(rig.fail().target.host == 0)
        let next = rig.fail()
        #expect(next.delay != nil && next.target.host == 0)
    }

    @Test(arguments: UInt64(1)...20)
    func aRandomOrderLeavesTheHostOfALostConnectionOutOfTheRound(seed: UInt64) {
        var rig = Rig(3, .random, seed: seed)
        let lost = rig.target.host
        #expect(rig.end(after: stable).target.host != lost)
        #expect(rig.target.host != lost && rig.fail().target.host != lost)
    }

    @Test func afterAShortConnectionTheNextHostIsTriedAfterADelay() {
        var rig = Rig(2)
        let first = rig.end(after: .milliseconds(1))
        #expect(first.target.host == 1 && first.delay > .zero)
        let second = rig.end(after: .milliseconds(1))
        #expect(second.target.host == 0 && second.delay >= HostPlan.firstDelay)
        _ = rig.end(after: .milliseconds(1))
        #expect(rig.plan.suspectsSharedClientID)
    }

    @Test func theOnlyHostIsTriedAgainAfterADelay() {
        var rig = Rig(1)
        #expect(rig.end(after: stable).delay > .zero)
        #expect(rig.fail().delay != nil)
        #expect(rig.target.host == 0)
    }

    /// The delays of rounds of one host, all random numbers being the largest, or the smallest.
    private func delays(_ count: Int, _ number: UInt64, after lengths: [Duration] = []) -> [Duration] {
        var plan = HostPlan(hostCount: 1, order: .listed, generator: ConstantGenerator(value: number))
        for _ in 0..<(lengths.isEmpty ? 0 : 5) { _ = plan.failed(addresses: 1) }
        return lengths.map { plan.ended(after: $0) }
            + (0..<count).compactMap { _ in plan.failed(addresses: 1) }
    }

    @Test func theDelayDoublesUpToItsMaximum() {
        let expected = [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000].map {
            Duration.milliseconds($0)
        }
        for (delay, expected) in zip(delays(9, .max), expected) {
            #expect(delay <= expected)
            #expect(delay > expected * 0.99)
        }
    }

    @Test func theDelayIsAtLeastHalfOfItsMaximum() {
        // Zero would never end: the standard library rejects it for this range, and draws again.
        #expect(delays(2, 1) == [HostPlan.firstDelay / 2, HostPlan.firstDelay])
    }

    @Test func onlyAStableConnectionResetsTheDelay() {
        #expect(delays(0, .max, after: [stable])[0] <= HostPlan.firstDelay)
        #expect(delays(0, .max, after: [stable - .milliseconds(1)])[0] > .seconds(4))
    }

    @Test func threeShortConnectionsInSuccessionSuggestASharedClientID() {
        var rig = Rig(1)
        for _ in 0..<2 { _ = rig.end(after: .seconds(1)) }
        #expect(!rig.plan.suspectsSharedClientID)
        _ = rig.end(after: .seconds(1))
        #expect(rig.plan.suspectsSharedClientID)
        _ = rig.end(after: .seconds(60))
        #expect(!rig.plan.suspectsSharedClientID)
    }
}
