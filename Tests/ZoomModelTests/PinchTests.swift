import Glibc
import Testing
import ZoomModel

/// What one controller sees when it pinches.
struct PinchTests {
    var bench = Bench(opticalMax: 2)

    @Test mutating func theFactorIsTheZoomAtTheStartTimesTheScale() {
        bench.zoom(to: 2)
        bench.pinch(.began)
        #expect(bench.lastStatuses == [.done])
        #expect(bench.factor == 2)
        for (scale, factor) in [(1.5, 3.0), (2, 4), (0.75, 1.5), (1.001, 2.002)] {
            bench.pinch(.changed, scale)
            #expect(bench.lastStatuses == [.done])
            #expect(near(bench.factor, factor))
        }
        bench.pinch(.ended, 1.75)
        #expect(near(bench.factor, 3.5))
        #expect(bench.model.runningGesture == nil)
    }

    @Test mutating func relativeAndAbsoluteScalesAgree() {
        var other = bench
        bench.zoom(to: 3)
        other.zoom(to: 3)
        bench.pinch(.began)
        other.pinch(.began)
        let steps = [1.1, 1.2, 0.9, 0.5, 1.3, 2.1, 0.8]
        var scale = 1.0
        for step in steps {
            scale *= step
            bench.pinch(.changed, scale)
            other.pinch(.changed, step, mode: .incremental)
            #expect(near(bench.factor, other.factor))
        }
    }

    /// Fingers that go out and come back leave no trace, however many samples were lost on the way.
    @Test(arguments: [1, 7, 40]) mutating func outAndBackEndsWhereItBegan(keepEach: Int) {
        bench.zoom(to: 2.7)
        bench.pinch(.began, 1)
        for step in 0...400 where step % keepEach == 0 {
            bench.pinch(.changed, 1 + 5 * sin(Double(step) / 400 * .pi))
            bench.run(.milliseconds(3))
        }
        bench.pinch(.ended, 1)
        bench.run(.seconds(1))
        #expect(near(bench.factor, 2.7))
        #expect(near(bench.model.center, .middle))
        #expect(bench.states.last?.zoom.factor == bench.factor)
    }

    @Test mutating func beyondTheEndsItIsClampedAndTurnsRoundWithTheFingers() {
        bench.zoom(to: 2)
        bench.pinch(.began)
        let beyond = bench.pinch(.changed, 10)
        #expect(bench.factor == 8)
        #expect(bench.answers[beyond] == [ZoomAnswer(.done, clamped: true)])
        bench.pinch(.changed, 5)
        #expect(bench.factor == 8)
        bench.pinch(.changed, 3)
        #expect(near(bench.factor, 6))
        bench.pinch(.changed, 1e-300)
        #expect(bench.factor == 1)
        bench.pinch(.ended, 1)
        #expect(near(bench.factor, 2))
    }

    @Test mutating func cancelledItLeavesTheZoomWhereItIs() {
        bench.zoom(to: 2)
        bench.pinch(.began)
        bench.pinch(.changed, 2)
        bench.pinch(.cancelled(revert: false))
        #expect(near(bench.factor, 4))
        #expect(bench.model.runningGesture == nil)
    }

    @Test mutating func cancelledWithRevertItGoesBackToTheStart() {
        bench.zoom(to: 4, anchor: Point(x: 0.2, y: 0.3))
        let before = bench.model.snapshot
        bench.pinch(.began, anchor: Point(x: 0.4, y: 0.6))
        bench.pinch(.changed, 1.7, anchor: Point(x: 0.7, y: 0.1))
        bench.pinch(.cancelled(revert: true))
        #expect(near(bench.factor, 4))
        #expect(near(bench.model.snapshot.viewport.x, before.viewport.x))
        #expect(near(bench.model.snapshot.viewport.y, before.viewport.y))
    }

    @Test(arguments: [(PinchSample.Phase.began, 6.0), (.changed, 4)])
    mutating func revertGoesBackToTheZoomAtTheStartAlsoAfterAFirstScaleOtherThanOne(
        phase: PinchSample.Phase, factor: Double
    ) {
        bench.zoom(to: 3)
        bench.pinch(phase, 1.5)
        bench.pinch(.changed, 2)
        #expect(near(bench.factor, factor))
        bench.pinch(.cancelled(revert: true))
        #expect(near(bench.factor, 3))
    }

    @Test(arguments: [PinchSample.Mode.cumulative, .incremental])
    mutating func theScaleOfTheBeginningAppliesAtOnce(mode: PinchSample.Mode) {
        bench.zoom(to: 2)
        bench.pinch(.began, 1.2, mode: mode)
        #expect(near(bench.factor, 2.4))
        #expect(bench.states.last.map { near($0.zoom.factor, 2.4) } == true)
        #expect(bench.lastGesture == "g of phone: 2.0 × 1.2")
        bench.pinch(.changed, mode == .cumulative ? 1.5 : 1.25, mode: mode)
        #expect(near(bench.factor, 3))
    }

    @Test mutating func theScaleOfTheBeginningIsClamped() {
        bench.zoom(to: 8)
        bench.pinch(.began, 1.5)
        #expect(bench.factor == 8)
        #expect(bench.lastAnswers == [ZoomAnswer(.done, clamped: true)])
        bench.pinch(.changed, 0.5)
        #expect(near(bench.factor, 4))
    }

    @Test mutating func anIncrementalScaleMultipliesTheClampedTarget() {
        bench.zoom(to: 4)
        bench.pinch(.began, mode: .incremental)
        bench.pinch(.changed, 4, mode: .incremental)
        #expect(bench.factor == 8)
        #expect(bench.lastAnswers == [ZoomAnswer(.done, clamped: true)])
        #expect(bench.model.runningGesture?.scale == 2)
        bench.pinch(.changed, 1, mode: .incremental)
        #expect(bench.lastAnswers == [ZoomAnswer(.done)])
        bench.pinch(.changed, 0.5, mode: .incremental)
        #expect(near(bench.factor, 4))
    }

    /// A scale that follows a message of the other mode means the same as it does among its own kind.
    @Test mutating func modesCanBeMixedInOneGesture() {
        bench.zoom(to: 4)
        bench.pinch(.began)
        bench.pinch(.changed, 4)
        bench.pinch(.changed, 0.5, mode: .incremental)
        #expect(near(bench.factor, 4))
        bench.pinch(.changed, 1.5)
        #expect(near(bench.factor, 6))
    }

    @Test mutating func theRunningGestureIsSeenAndThenNone() {
        bench.zoom(to: 2)
        bench.pinch(.began)
        #expect(bench.lastGesture == "g of phone: 2.0 × 1.0")
        bench.run(.milliseconds(100))
        bench.pinch(.changed, 1.5)
        #expect(bench.lastGesture == "g of phone: 2.0 × 1.5")
        bench.pinch(.ended)
        #expect(bench.gestures.count == 3)
        #expect(bench.lastGesture == nil)
    }

    @Test mutating func theStateSaysWhoseGestureItWas() {
        bench.pinch(.began, by: "tablet")
        #expect(bench.states.last?.zoom.origin == Origin(client: "tablet", kind: .gesture))
    }
}
