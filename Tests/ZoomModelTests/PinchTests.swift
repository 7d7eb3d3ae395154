import Glibc
import Testing
import ZoomModel

/// What one controller sees when it pinches.
struct PinchTests {
    var harness = ZoomHarness(opticalMax: 2)

    @Test mutating func theFactorIsTheZoomAtTheStartTimesTheScale() {
        harness.zoom(to: 2)
        harness.pinch(.began)
        #expect(harness.lastStatuses == [.done])
        #expect(harness.factor == 2)
        for (scale, factor) in [(1.5, 3.0), (2, 4), (0.75, 1.5), (1.001, 2.002)] {
            harness.pinch(.changed, scale)
            #expect(harness.lastStatuses == [.done])
            #expect(near(harness.factor, factor))
        }
        harness.pinch(.ended, 1.75)
        #expect(near(harness.factor, 3.5))
        #expect(harness.model.runningGesture == nil)
    }

    @Test mutating func relativeAndAbsoluteScalesAgree() {
        var other = harness
        harness.zoom(to: 3)
        other.zoom(to: 3)
        harness.pinch(.began)
        other.pinch(.began)
        let steps = [1.1, 1.2, 0.9, 0.5, 1.3, 2.1, 0.8]
        var scale = 1.0
        for step in steps {
            scale *= step
            harness.pinch(.changed, scale)
            other.pinch(.changed, step, mode: .incremental)
            #expect(near(harness.factor, other.factor))
        }
    }

    /// Fingers that go out and come back leave no trace, however many samples were lost on the way.
    @Test(arguments: [1, 7, 40]) mutating func outAndBackEndsWhereItBegan(keepEach: Int) {
        harness.zoom(to: 2.7)
        harness.pinch(.began, 1)
        for step in 0...400 where step % keepEach == 0 {
            harness.pinch(.changed, 1 + 5 * sin(Double(step) / 400 * .pi))
            harness.run(.milliseconds(3))
        }
        harness.pinch(.ended, 1)
        harness.run(.seconds(1))
        #expect(near(harness.factor, 2.7))
        #expect(near(harness.model.center, .middle))
        #expect(harness.states.last?.zoom.factor == harness.factor)
    }

    @Test mutating func beyondTheEndsItIsClampedAndTurnsRoundWithTheFingers() {
        harness.zoom(to: 2)
        harness.pinch(.began)
        let beyond = harness.pinch(.changed, 10)
        #expect(harness.factor == 8)
        #expect(harness.answers[beyond] == [ZoomAnswer(.done, clamped: true)])
        harness.pinch(.changed, 5)
        #expect(harness.factor == 8)
        harness.pinch(.changed, 3)
        #expect(near(harness.factor, 6))
        harness.pinch(.changed, 1e-300)
        #expect(harness.factor == 1)
        harness.pinch(.ended, 1)
        #expect(near(harness.factor, 2))
    }

    @Test mutating func cancelledItLeavesTheZoomWhereItIs() {
        harness.zoom(to: 2)
        harness.pinch(.began)
        harness.pinch(.changed, 2)
        harness.pinch(.cancelled(revert: false))
        #expect(near(harness.factor, 4))
        #expect(harness.model.runningGesture == nil)
    }

    @Test mutating func cancelledWithRevertItGoesBackToTheStart() {
        harness.zoom(to: 4, anchor: Point(x: 0.2, y: 0.3))
        let before = harness.model.snapshot
        harness.pinch(.began, anchor: Point(x: 0.4, y: 0.6))
        harness.pinch(.changed, 1.7, anchor: Point(x: 0.7, y: 0.1))
        harness.pinch(.cancelled(revert: true))
        #expect(near(harness.factor, 4))
        #expect(near(harness.model.snapshot.viewport.x, before.viewport.x))
        #expect(near(harness.model.snapshot.viewport.y, before.viewport.y))
    }

    @Test(arguments: [(PinchSample.Phase.began, 6.0), (.changed, 4)])
    mutating func revertGoesBackToTheZoomAtTheStartAlsoAfterAFirstScaleOtherThanOne(
        phase: PinchSample.Phase, factor: Double
    ) {
        harness.zoom(to: 3)
        harness.pinch(phase, 1.5)
        harness.pinch(.changed, 2)
        #expect(near(harness.factor, factor))
        harness.pinch(.cancelled(revert: true))
        #expect(near(harness.factor, 3))
    }

    @Test(arguments: [PinchSample.Mode.cumulative, .incremental])
    mutating func theScaleOfTheBeginningAppliesAtOnce(mode: PinchSample.Mode) {
        harness.zoom(to: 2)
        harness.pinch(.began, 1.2, mode: mode)
        #expect(near(harness.factor, 2.4))
        #expect(harness.states.last.map { near($0.zoom.factor, 2.4) } == true)
        #expect(harness.lastGesture == "g of phone: 2.0 × 1.2")
        harness.pinch(.changed, mode == .cumulative ? 1.5 : 1.25, mode: mode)
        #expect(near(harness.factor, 3))
    }

    @Test mutating func theScaleOfTheBeginningIsClamped() {
        harness.zoom(to: 8)
        harness.pinch(.began, 1.5)
        #expect(harness.factor == 8)
        #expect(harness.lastAnswers == [ZoomAnswer(.done, clamped: true)])
        harness.pinch(.changed, 0.5)
        #expect(near(harness.factor, 4))
    }

    @Test mutating func anIncrementalScaleMultipliesTheClampedTarget() {
        harness.zoom(to: 4)
        harness.pinch(.began, mode: .incremental)
        harness.pinch(.changed, 4, mode: .incremental)
        #expect(harness.factor == 8)
        #expect(harness.lastAnswers == [ZoomAnswer(.done, clamped: true)])
        #expect(harness.model.runningGesture?.scale == 2)
        harness.pinch(.changed, 1, mode: .incremental)
        #expect(harness.lastAnswers == [ZoomAnswer(.done)])
        harness.pinch(.changed, 0.5, mode: .incremental)
        #expect(near(harness.factor, 4))
    }

    /// A scale that follows a message of the other mode means the same as it does among its own kind.
    @Test mutating func modesCanBeMixedInOneGesture() {
        harness.zoom(to: 4)
        harness.pinch(.began)
        harness.pinch(.changed, 4)
        harness.pinch(.changed, 0.5, mode: .incremental)
        #expect(near(harness.factor, 4))
        harness.pinch(.changed, 1.5)
        #expect(near(harness.factor, 6))
    }

    @Test mutating func theRunningGestureIsSeenAndThenNone() {
        harness.zoom(to: 2)
        harness.pinch(.began)
        #expect(harness.lastGesture == "g of phone: 2.0 × 1.0")
        harness.run(.milliseconds(100))
        harness.pinch(.changed, 1.5)
        #expect(harness.lastGesture == "g of phone: 2.0 × 1.5")
        harness.pinch(.ended)
        #expect(harness.gestures.count == 3)
        #expect(harness.lastGesture == nil)
    }

    @Test mutating func theStateSaysWhoseGestureItWas() {
        harness.pinch(.began, by: "tablet")
        #expect(harness.states.last?.zoom.origin == Origin(client: "tablet", kind: .gesture))
    }
}
