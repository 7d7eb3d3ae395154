import Testing

@testable import FrontEnds

/// Who has a name that two devices want, step by step.
struct NameRuleTests {
    private typealias Sender = NameRule.Sender

    private let start = ContinuousClock.now
    private let own = Sender(instance: "own", run: "5")
    private let other = Sender(instance: "other", run: "7")

    private func rule() -> NameRule {
        var rule = NameRule(instance: "own", run: "5")
        rule.connected(at: start)
        return rule
    }

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test func aNameOfWhichTheBrokerHasNothingIsFreeAtOnce() {
        var rule = rule()
        #expect(!rule.isFree)
        #expect(rule.requestReceived() == .publish && rule.isFree)
    }

    @Test func theNameOfAnEarlierRunIsFreeAtOnce() {
        var rule = rule()
        #expect(rule.infoCame(from: Sender(instance: "own", run: "4"), isRetained: true) == .nothing)
        #expect(rule.requestReceived() == .publish)
    }

    @Test func theNameOfAnotherDeviceIsFreeWhenItDoesNotAnswer() {
        var rule = rule()
        #expect(rule.infoCame(from: other, isRetained: true) == .nothing)
        #expect(rule.requestReceived() == .nothing && !rule.isFree)
        #expect(rule.answerTimePassed() == .publish && rule.isFree)
    }

    @Test(arguments: [true, false]) func theNameOfADeviceThatAnswersIsTaken(isReceived: Bool) {
        var rule = rule()
        _ = rule.infoCame(from: other, isRetained: true)
        if isReceived { _ = rule.requestReceived() }
        #expect(rule.infoCame(from: other, isRetained: false) == .giveWay)
        #expect(rule.answerTimePassed() == .nothing && !rule.isFree)
    }

    /// It was published before there was an `instance`.
    @Test func anEarlierVersionIsAnotherDevice() {
        var rule = rule()
        _ = rule.infoCame(from: Sender(instance: nil, run: "4"), isRetained: true)
        #expect(rule.requestReceived() == .nothing)
        #expect(rule.answerTimePassed() == .publish)
    }

    @Test(arguments: [(true, true), (true, false), (false, true)])
    func aDeviceThatIsThrownOutOfItsCheckGivesWay(isTold: Bool, hasOther: Bool) {
        var rule = rule()
        if hasOther { _ = rule.infoCame(from: other, isRetained: true) }
        #expect(rule.connectionEnded(isTakeover: isTold, at: at(1)) == .giveWay)
    }

    @Test func aLostConnectionIsNoSecondDevice() {
        var rule = rule()
        #expect(rule.connectionEnded(isTakeover: false, at: at(1)) == .nothing)
        rule.connected(at: at(2))
        #expect(rule.requestReceived() == .publish)
        #expect(rule.connectionEnded(isTakeover: false, at: at(3)) == .nothing && !rule.isFree)
    }

    @Test(arguments: [1, 3_600]) func aDeviceThatHasTheNameComesBackAtOnce(seconds: Int) {
        var rule = rule()
        _ = rule.requestReceived()
        #expect(rule.connectionEnded(isTakeover: true, at: at(seconds)) == .replace)
    }

    /// The other one may do the same.
    @Test func aDeviceThatIsThrownOutTwiceWaitsTheUsualTime() {
        var rule = rule()
        _ = rule.requestReceived()
        for seconds in [1, 2] {
            let step = rule.connectionEnded(isTakeover: true, at: at(seconds))
            #expect(step == (seconds == 1 ? .replace : .nothing))
            rule.connected(at: at(seconds))
            _ = rule.requestReceived()
        }
        #expect(rule.connectionEnded(isTakeover: true, at: at(62)) == .replace)
    }

    /// It finds the name free too, as the identity is its own. A broker need not tell that it threw one out.
    @Test func ofTwoWithACopyOfOneStateOneGivesWay() {
        var rule = rule()
        let copy = Sender(instance: "own", run: "7")
        _ = rule.infoCame(from: copy, isRetained: true)
        #expect(rule.requestReceived() == .publish, "it may be an earlier run")
        #expect(rule.connectionEnded(isTakeover: false, at: at(1)) == .nothing)
        for seconds in [2, 602] {
            rule.connected(at: at(seconds))
            _ = rule.infoCame(from: copy, isRetained: true)
            #expect(rule.requestReceived() == .nothing)
            #expect(rule.connectionEnded(isTakeover: false, at: at(seconds + 1)) == .giveWay)
        }
    }

    /// The broker, or the next host, has an old copy of its messages.
    @Test func afterALongConnectionAnEarlierRunIsNoSecondDevice() {
        var rule = rule()
        _ = rule.requestReceived()
        #expect(rule.connectionEnded(isTakeover: false, at: at(60)) == .nothing)
        rule.connected(at: at(61))
        _ = rule.infoCame(from: Sender(instance: "own", run: "4"), isRetained: true)
        #expect(rule.requestReceived() == .publish)
    }

    @Test func ofTwoThatFoundTheNameFreeOneGivesWay() {
        var (one, two) = (rule(), NameRule(instance: "other", run: "7"))
        two.connected(at: start)
        _ = one.requestReceived()
        _ = two.requestReceived()
        #expect(one.infoCame(from: other, isRetained: false) == .replace && one.isFree)
        #expect(two.infoCame(from: own, isRetained: false) == .giveWay && !two.isFree)
    }

    /// It gives way by its own rule.
    @Test func anEarlierVersionIsNotMadeWayFor() {
        var rule = rule()
        _ = rule.requestReceived()
        #expect(rule.infoCame(from: Sender(instance: nil, run: "1"), isRetained: false) == .replace)
    }

    @Test func theOwnMessagesSayNothing() {
        var rule = rule()
        _ = rule.requestReceived()
        #expect(rule.infoCame(from: own, isRetained: false) == .nothing)
        #expect(rule.infoCame(from: other, isRetained: true) == .nothing, "it came late")
    }
}
