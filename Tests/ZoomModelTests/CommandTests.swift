import TestSupport
import Testing
import ZoomModel

/// Zoom commands without a rate.
struct CommandTests {
    var harness = ZoomHarness()

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
