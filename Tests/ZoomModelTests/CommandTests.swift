import TestSupport
import Testing
import ZoomModel

/// Zoom commands without a rate.
struct CommandTests {
    var harness = ZoomHarness()

    @Test(arguments: [1, 1.001, 2.5, 7.999, 8]) func aFactorIsReached(factor: Double) {
        var harness = ZoomHarness(opticalMax: 2)
        let ticket = harness.zoom(to: factor)
        #expect(near(harness.factor, factor))
        #expect(harness.states.count == 1)
        #expect(harness.states.last?.zoom.target == factor)
        #expect(harness.states.last?.zoom.ramping == false)
        #expect(harness.states.last?.zoom.origin == Origin(client: "phone", kind: .command))
        #expect(harness.statuses(ticket) == [.done])
    }

    @Test(arguments: [(0.0, 1.0), (0.5, 4.5), (1, 8)])
    mutating func aPositionIsLinearInTheRange(position: Double, factor: Double) {
        harness.send(.go(ZoomGoal(.position(position))))
        #expect(harness.factor == factor)
        #expect(harness.states.last?.zoom.position == position)
    }

    @Test mutating func byMultipliesTheTarget() {
        harness.zoom(to: 2)
        harness.send(.go(ZoomGoal(.by(1.5))))
        #expect(harness.factor == 3)
        harness.send(.go(ZoomGoal(.by(0.5))))
        #expect(harness.factor == 1.5)
    }

    @Test mutating func byMultipliesTheTargetOfARamp() {
        harness.zoom(to: 4, rate: 1)
        harness.run(.milliseconds(100))
        harness.send(.go(ZoomGoal(.by(2))))
        #expect(harness.factor == 8)
    }

    @Test mutating func manyRelativeStepsAddUpDuringAWrite() {
        harness = ZoomHarness(opticalMax: 8, lens: FakeLens(latency: .milliseconds(200)))
        for _ in 0..<10 { harness.send(.go(ZoomGoal(.by(1.2)))) }
        harness.run(.seconds(1))
        #expect(near(harness.factor, 6.1917364224))
    }

    @Test(arguments: [
        (ZoomGoal.Target.factor(100), 8.0), (.factor(1e-9), 1), (.position(1.5), 8), (.position(-0.5), 1),
        (.by(50), 8), (.by(1e-3), 1), (.factor(.greatestFiniteMagnitude), 8), (.position(-1e308), 1),
        (.by(1e308), 8),
    ])
    mutating func valuesOutOfRangeAreClamped(target: ZoomGoal.Target, factor: Double) {
        harness.zoom(to: 2)
        let ticket = harness.send(.go(ZoomGoal(target)))
        #expect(harness.factor == factor)
        #expect(harness.answers[ticket] == [ZoomAnswer(.done, clamped: true)])
    }

    @Test(arguments: [ZoomGoal.Target.factor(8), .factor(1), .position(0), .position(1), .by(1)])
    mutating func valuesAtTheEndsOfTheRangeAreNotClamped(target: ZoomGoal.Target) {
        let ticket = harness.send(.go(ZoomGoal(target)))
        #expect(harness.answers[ticket] == [ZoomAnswer(.done)])
    }

    /// 1.2 + (3.4 − 1.2) is more than 3.4 in floating point.
    @Test(arguments: [(1.2, 3.4), (1.1, 5.2), (1, 8), (2.2, 2.2)])
    func positionOneIsExactlyTheGreatestFactor(min: Double, max: Double) {
        var harness = ZoomHarness(.init(range: min...max))
        let ticket = harness.send(.go(ZoomGoal(.position(1))))
        #expect(harness.model.snapshot.target == max)
        #expect(harness.answers[ticket] == [ZoomAnswer(.done)])
    }

    @Test mutating func anEmptyRangeHasPositionZero() {
        harness = ZoomHarness(.init(range: 2...2))
        harness.zoom(to: 5)
        #expect(harness.factor == 2)
        #expect(harness.model.snapshot.position == 0)
    }

    @Test mutating func eachCommandPublishesOneState() {
        for _ in 0..<3 { harness.zoom(to: 2) }
        #expect(harness.states.count == 3)
        #expect(harness.samples.isEmpty && harness.gestures.isEmpty)
        #expect(harness.model.wake == nil, "the model requests a wake at rest")
    }
}
