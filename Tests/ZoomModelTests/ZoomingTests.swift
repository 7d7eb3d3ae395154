import Testing
import ZoomModel

/// Commands that zoom at once.
struct ZoomingTests {
    var bench = Bench()

    @Test(arguments: [1, 1.001, 2.5, 7.999, 8]) func aFactorIsWhereTheZoomThenIs(factor: Double) {
        var bench = Bench(opticalMax: 2)
        let ticket = bench.zoom(to: factor)
        #expect(near(bench.factor, factor))
        #expect(bench.states.count == 1)
        #expect(bench.states.last?.zoom.target == factor)
        #expect(bench.states.last?.zoom.ramping == false)
        #expect(bench.states.last?.zoom.origin == Origin(client: "phone", kind: .command))
        #expect(bench.statuses(ticket) == [.done])
    }

    @Test(arguments: [(0.0, 1.0), (0.5, 4.5), (1, 8)])
    mutating func aPositionIsLinearBetweenTheEnds(position: Double, factor: Double) {
        bench.send(.go(to: .position(position), rate: nil, anchor: nil))
        #expect(bench.factor == factor)
        #expect(bench.states.last?.zoom.position == position)
    }

    @Test mutating func byMultipliesTheTarget() {
        bench.zoom(to: 2)
        bench.send(.go(to: .by(1.5), rate: nil, anchor: nil))
        #expect(bench.factor == 3)
        bench.send(.go(to: .by(0.5), rate: nil, anchor: nil))
        #expect(bench.factor == 1.5)
    }

    @Test mutating func byMultipliesWhereARampIsGoingAndNotWhereItIs() {
        bench.zoom(to: 4, rate: 1)
        bench.run(.milliseconds(100))
        bench.send(.go(to: .by(2), rate: nil, anchor: nil))
        #expect(bench.factor == 8)
    }

    @Test mutating func manyStepsByAddUpWhileTheLensIsSlow() {
        bench = Bench(opticalMax: 8, lens: FakeLens(latency: .milliseconds(200)))
        for _ in 0..<10 { bench.send(.go(to: .by(1.2), rate: nil, anchor: nil)) }
        bench.run(.seconds(1))
        #expect(near(bench.factor, 6.1917364224))
    }

    @Test(arguments: [
        (ZoomCommand.Target.factor(100), 8.0), (.factor(1e-9), 1), (.position(1.5), 8), (.position(-0.5), 1),
        (.by(50), 8), (.by(1e-3), 1), (.factor(.greatestFiniteMagnitude), 8), (.position(-1e308), 1),
        (.by(1e308), 8),
    ])
    mutating func beyondTheEndsTheZoomIsClampedAndTheAnswerSaysSo(target: ZoomCommand.Target, factor: Double)
    {
        bench.zoom(to: 2)
        let ticket = bench.send(.go(to: target, rate: nil, anchor: nil))
        #expect(bench.factor == factor)
        #expect(bench.answers[ticket] == [ZoomAnswer(.done, clamped: true)])
    }

    @Test(arguments: [ZoomCommand.Target.factor(8), .factor(1), .position(0), .position(1), .by(1)])
    mutating func atTheEndsNothingIsSaidOfClamping(target: ZoomCommand.Target) {
        let ticket = bench.send(.go(to: target, rate: nil, anchor: nil))
        #expect(bench.answers[ticket] == [ZoomAnswer(.done)])
    }

    /// 1.2 + (3.4 − 1.2) is more than 3.4 in floating point.
    @Test(arguments: [(1.2, 3.4), (1.1, 5.2), (1, 8), (2.2, 2.2)])
    func aPositionOfOneIsExactlyTheGreatestFactor(min: Double, max: Double) {
        var bench = Bench(.init(range: ZoomRange(min: min, max: max)))
        let ticket = bench.send(.go(to: .position(1), rate: nil, anchor: nil))
        #expect(bench.model.snapshot.target == max)
        #expect(bench.answers[ticket] == [ZoomAnswer(.done)])
    }

    @Test mutating func aZoomWithoutARangeIsAtPositionZero() {
        bench = Bench(.init(range: ZoomRange(min: 2, max: 2)))
        bench.zoom(to: 5)
        #expect(bench.factor == 2)
        #expect(bench.model.snapshot.position == 0)
    }

    @Test mutating func eachCommandIsOneStateAlsoWhenNothingChanges() {
        for _ in 0..<3 { bench.zoom(to: 2) }
        #expect(bench.states.count == 3)
        #expect(bench.samples.isEmpty && bench.gestures.isEmpty)
        #expect(bench.model.wake == nil, "nothing is left to do")
    }
}
