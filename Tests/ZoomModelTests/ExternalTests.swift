import TestSupport
import Testing
import ZoomModel

/// External movements of the lens, and the restored zoom of an earlier run.
struct ExternalTests {
    @Test(arguments: [Duration.zero, .milliseconds(50)]) func anExternalMovementSupersedesARamp(
        latency: Duration
    ) {
        var harness = ZoomHarness(opticalMax: 4, lens: FakeLens(latency: latency))
        let ramp = harness.zoom(to: 4, rate: 0.5)
        harness.run(.milliseconds(510))
        harness.takeLens(to: 3.5)
        harness.run(.seconds(10))
        #expect(harness.statuses(ramp) == [.superseded])
        #expect(harness.model.snapshot.origin.kind == .external && !harness.model.snapshot.ramping)
        #expect(latency > .zero || harness.factor == 3.5)
        #expect(
            near(harness.factor, harness.lensFactor) && harness.states.last?.zoom == harness.model.snapshot)
    }

    var harness = ZoomHarness(opticalMax: 4)

    @Test mutating func aSlowExternalMovementPublishesTwoStatesAndLiveSamples() {
        for step in 1...60 {
            harness.moveLens(to: 1 + Double(step) / 30, moving: step < 60)
            harness.run(.seconds(1.0 / 60))
        }
        #expect(harness.states.map(\.zoom.ramping) == [true, false])
        #expect(harness.states.last?.zoom.factor == 3)
        #expect(20...31 ~= harness.samples.count)
    }

    /// The last report on the way had the requested factor. The request is sent all the same.
    @Test mutating func aRequestAfterAnExternalMovementIsSentToTheLens() {
        harness.moveLens(to: 1.5, moving: true)
        harness.moveLens(to: 2)
        harness.zoom(to: 1.5)
        #expect(harness.factor == 1.5)
        harness.moveLens(to: 2)
        harness.zoom(to: 1.5)
        #expect(harness.factor == 1.5)
    }

    @Test mutating func aReportOfTheSameFactorIsNoExternalChange() {
        harness.zoom(to: 2, by: "tablet")
        harness.moveLens(to: 2)
        #expect(harness.states.count == 1)
        #expect(harness.model.snapshot.origin.client == "tablet")
    }

    @Test mutating func anExternalMovementKeepsTheFactorInItsRange() {
        harness = ZoomHarness(
            .init(range: 1...8, opticalMax: 2), lens: FakeLens(speed: 0.1))
        harness.zoom(to: 8)
        harness.run(.seconds(1))
        harness.send(.stop)
        #expect(harness.model.snapshot.digital == 4)
        harness.zoom(to: 8)
        harness.run(.seconds(1))
        harness.send(.stop)
        harness.moveLens(to: 2)
        #expect(1...8 ~= harness.factor)
        #expect(0...1 ~= harness.model.snapshot.position)
    }

    // MARK: Restore

    @Test(arguments: [1.0, 2.5, 8]) func restoreShowsTheSavedFactorAndCenter(factor: Double) {
        var before = ZoomHarness(opticalMax: 2)
        before.zoom(to: 3)
        before.zoom(to: factor, anchor: Point(x: 0.8, y: 0.3))
        var after = ZoomHarness(opticalMax: 2)
        after.restore(before.factor, center: before.model.center)
        #expect(near(after.factor, factor))
        #expect(near(after.model.snapshot.viewport.x, before.model.snapshot.viewport.x))
        #expect(near(after.model.snapshot.viewport.y, before.model.snapshot.viewport.y))
        #expect(after.states.count == 1)
        #expect(after.states.last?.zoom.origin == Origin(kind: .restore))
    }

    @Test func restoreIsClampedToRangeAndFrame() {
        var harness = ZoomHarness(.init(range: 2...4))
        harness.restore(100, center: Point(x: 7, y: -3))
        #expect(harness.factor == 4)
        let view = harness.model.snapshot.viewport
        #expect(near(view.x, 0.75) && view.y == 0)
        harness.restore(0.1)
        #expect(harness.factor == 2)
    }

    @Test func restoreDrivesTheLensToTheSavedFactor() {
        var harness = ZoomHarness(
            .init(range: 1...8, opticalMax: 4),
            lens: FakeLens(latency: .milliseconds(10), at: 3))
        #expect(harness.factor == 3)
        harness.restore(2)
        #expect(!harness.model.isSettled)
        harness.run(.seconds(1))
        #expect(harness.factor == 2)
        #expect(harness.lensFactor == 2)
        #expect(harness.states.map(\.zoom.factor) == [2])
    }
}
