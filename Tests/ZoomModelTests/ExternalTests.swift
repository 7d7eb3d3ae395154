import Testing
import ZoomModel

/// What the zoom finds: the lens moved by others, and the state of an earlier run.
struct ExternalTests {
    @Test(arguments: [Duration.zero, .milliseconds(50)]) func aHandThatTurnsTheLensOvertakesARamp(
        latency: Duration
    ) {
        var bench = Bench(opticalMax: 4, lens: FakeLens(latency: latency))
        let ramp = bench.zoom(to: 4, rate: 0.5)
        bench.run(.milliseconds(510))
        bench.takeLens(to: 3.5)
        bench.run(.seconds(10))
        #expect(bench.statuses(ramp) == [.superseded])
        #expect(bench.model.snapshot.origin.kind == .external && !bench.model.snapshot.ramping)
        #expect(latency > .zero || bench.factor == 3.5)
        #expect(near(bench.factor, bench.lensFactor) && bench.states.last?.zoom == bench.model.snapshot)
    }

    var bench = Bench(opticalMax: 4)

    @Test mutating func aLensMovedBySomebodyElseIsAState() {
        bench.zoom(to: 2)
        bench.moveLens(to: 3)
        #expect(bench.states.count == 2)
        #expect(bench.states.last?.zoom.factor == 3)
        #expect(bench.states.last?.zoom.target == 3)
        #expect(bench.states.last?.zoom.ramping == false)
        #expect(bench.states.last?.zoom.origin == Origin(kind: .external))
        bench.run(.seconds(10))
        #expect(bench.lens.requests == [2], "the camera is left where they want it")
    }

    @Test mutating func aLensThatSomebodyElseMovesSlowlyIsTwoStatesAndSamples() {
        for step in 1...60 {
            bench.moveLens(to: 1 + Double(step) / 30, moving: step < 60)
            bench.run(.seconds(1.0 / 60))
        }
        #expect(bench.states.map(\.zoom.ramping) == [true, false])
        #expect(bench.states.last?.zoom.factor == 3)
        #expect(20...31 ~= bench.samples.count)
    }

    /// It was last seen elsewhere on its way; that is no reason not to go there.
    @Test mutating func afterwardsTheLensGoesWhereItIsAskedTo() {
        bench.moveLens(to: 1.5, moving: true)
        bench.moveLens(to: 2)
        bench.zoom(to: 1.5)
        #expect(bench.factor == 1.5)
        bench.moveLens(to: 2)
        bench.zoom(to: 1.5)
        #expect(bench.factor == 1.5)
    }

    @Test mutating func aReportThatSaysNothingNewIsNobodysChange() {
        bench.zoom(to: 2, by: "tablet")
        bench.moveLens(to: 2)
        #expect(bench.states.count == 1)
        #expect(bench.model.snapshot.origin.client == "tablet")
    }

    @Test mutating func aPinchGoesOnFromThere() {
        bench.pinch(.began)
        bench.pinch(.changed, 2)
        bench.moveLens(to: 3)
        bench.pinch(.changed, 3)
        #expect(near(bench.factor, 4.5))
    }

    @Test mutating func theFactorStaysInItsRangeWhateverTheyDo() {
        bench = Bench(
            .init(range: ZoomRange(min: 1, max: 8), opticalMax: 2), lens: FakeLens(speed: 0.1))
        bench.zoom(to: 8)
        bench.run(.seconds(1))
        bench.send(.stop)
        #expect(bench.model.snapshot.digital == 4)
        bench.zoom(to: 8)
        bench.run(.seconds(1))
        bench.send(.stop)
        bench.moveLens(to: 2)
        #expect(1...8 ~= bench.factor)
        #expect(0...1 ~= bench.model.snapshot.position)
    }

    // MARK: Restore

    @Test(arguments: [1.0, 2.5, 8]) func aRestoredZoomIsWhereItWas(factor: Double) {
        var before = Bench(opticalMax: 2)
        before.zoom(to: 3)
        before.zoom(to: factor, anchor: Point(x: 0.8, y: 0.3))
        var after = Bench(opticalMax: 2)
        after.restore(before.factor, center: before.model.center)
        #expect(near(after.factor, factor))
        #expect(near(after.model.snapshot.viewport.x, before.model.snapshot.viewport.x))
        #expect(near(after.model.snapshot.viewport.y, before.model.snapshot.viewport.y))
        #expect(after.states.count == 1)
        #expect(after.states.last?.zoom.origin == Origin(kind: .restore))
    }

    @Test func whatCanNoLongerBeIsRestoredAsFarAsPossible() {
        var bench = Bench(.init(range: ZoomRange(min: 2, max: 4)))
        bench.restore(100, center: Point(x: 7, y: -3))
        #expect(bench.factor == 4)
        let view = bench.model.snapshot.viewport
        #expect(near(view.x, 0.75) && view.y == 0)
        bench.restore(0.1)
        #expect(bench.factor == 2)
    }

    @Test func aLensThatIsFoundElsewhereIsDrivenBack() {
        var bench = Bench(
            .init(range: ZoomRange(min: 1, max: 8), opticalMax: 4),
            lens: FakeLens(latency: .milliseconds(10), at: 3))
        #expect(bench.factor == 3)
        bench.restore(2)
        #expect(!bench.model.isSettled)
        bench.run(.seconds(1))
        #expect(bench.factor == 2)
        #expect(bench.lensFactor == 2)
        #expect(bench.states.map(\.zoom.factor) == [2])
    }
}
