import Testing

@testable import MQTTBus

/// A generator with a seed (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A plan with its generator.
private struct Rig {
    var plan: ConnectionPlan
    var generator = SeededGenerator(state: 1)
    var target: ConnectionPlan.Target

    init(
        _ count: Int, _ order: BusSettings.Order = .listed, _ version: BusSettings.Version = .automatic,
        seed: UInt64 = 1
    ) {
        generator = SeededGenerator(state: seed)
        plan = ConnectionPlan(hostCount: count, order: order, version: version)
        target = plan.begin(using: &generator)
    }

    mutating func fail(_ failure: ConnectionPlan.Failure = .other, addresses: Int = 1) -> ConnectionPlan.Step
    {
        plan.found(addresses: addresses)
        let step = plan.failed(failure, using: &generator)
        target = step.target
        return step
    }

    mutating func end(after length: Duration) -> ConnectionPlan.Step {
        plan.accepted()
        let step = plan.ended(after: length, using: &generator)
        target = step.target
        return step
    }
}

@Suite struct ConnectionPlanTests {
    private let stable = ReconnectPolicy.stableAfter

    @Test func eachHostIsTriedOnceWithoutADelayBetweenThem() {
        var rig = Rig(3)
        #expect(rig.target.host == 0)
        for host in 1...2 {
            let step = rig.fail()
            #expect(step.target.host == host && step.delay == .zero && !step.endsRound)
        }
        let step = rig.fail()
        #expect(step.target.host == 0 && step.endsRound)
        #expect(step.delay > .zero && step.delay <= ReconnectPolicy.firstDelay)
    }

    @Test func theDelayGrowsFromRoundToRound() {
        var rig = Rig(2)
        var delays: [Duration] = []
        for _ in 0..<5 {
            #expect(rig.fail().delay == .zero)
            delays.append(rig.fail().delay)
        }
        #expect(delays[4] >= .seconds(2) && delays[4] <= .seconds(4))
    }

    @Test func eachAddressOfAHostIsTriedBeforeTheNextHost() {
        var rig = Rig(2)
        #expect(rig.fail(addresses: 2).target == .init(host: 0, address: 1, level: .v5))
        #expect(rig.fail(addresses: 2).target == .init(host: 1, address: 0, level: .v5))
    }

    @Test func aHostWithoutAnAddressIsLeftAtOnce() {
        var rig = Rig(2)
        #expect(rig.fail(.noAddress, addresses: 2).target.host == 1)
    }

    @Test(arguments: UInt64(1)...20)
    func aRandomRoundHasEachHostOnce(seed: UInt64) {
        var rig = Rig(5, .random, seed: seed)
        for _ in 0..<3 {
            var hosts = [rig.target.host]
            for _ in 0..<4 { hosts.append(rig.fail().target.host) }
            #expect(hosts.sorted() == [0, 1, 2, 3, 4])
            #expect(rig.fail().endsRound)
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
        #expect(step.target.host == 2 && step.delay == .zero && step.endsRound)
        #expect(rig.fail().target.host == 0)
        let next = rig.fail()
        #expect(next.delay > .zero && next.target.host == 0)
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
        #expect(second.target.host == 0 && second.delay >= ReconnectPolicy.firstDelay)
        _ = rig.end(after: .milliseconds(1))
        #expect(rig.plan.policy.suspectsSharedClientID)
    }

    @Test func theOnlyHostIsTriedAgainAfterADelay() {
        var rig = Rig(1)
        #expect(rig.end(after: stable).delay > .zero)
        #expect(rig.fail().delay > .zero)
        #expect(rig.target.host == 0)
    }

    @Test func aBrokerWithoutMQTT5IsTriedWith311AtOnce() {
        var rig = Rig(2)
        let step = rig.fail(.versionUnknown)
        #expect(step.target == .init(host: 0, address: 0, level: .v311))
        #expect(step.delay == .zero && step.isOlderVersion)
        // It supports neither.
        #expect(rig.fail(.versionUnknown).target == .init(host: 1, address: 0, level: .v5))
    }

    @Test func theVersionIsRememberedUntilALongConnectionHasEnded() {
        var rig = Rig(1)
        _ = rig.fail(.versionUnknown)
        #expect(rig.end(after: .seconds(1)).target.level == .v311)
        #expect(rig.end(after: stable).target.level == .v5)
    }

    /// The broker may have been replaced by one that supports MQTT 5 only.
    @Test func aFailureWith311LetsMQTT5BeTriedAgain() {
        var rig = Rig(1)
        _ = rig.fail(.versionUnknown)
        _ = rig.end(after: .seconds(1))
        #expect(rig.fail().target.level == .v5)
    }

    @Test(arguments: [BusSettings.Version.v5, .v311])
    func aVersionThatWasChosenStays(version: BusSettings.Version) {
        let level: MQTTLevel = version == .v5 ? .v5 : .v311
        var rig = Rig(1, .listed, version)
        #expect(rig.target.level == level)
        let step = rig.fail(.versionUnknown)
        #expect(step.target.level == level && step.delay > .zero)
        #expect(rig.end(after: stable).target.level == level)
    }
}
