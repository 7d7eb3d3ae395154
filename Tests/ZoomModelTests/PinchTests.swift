import Glibc
import TestSupport
import Testing
import ZoomModel

/// Pinches of one controller.
struct PinchTests {
    var harness = ZoomHarness(opticalMax: 2)

    @Test mutating func theFactorIsTheBaseTimesTheScale() {
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

    @Test mutating func incrementalAndCumulativeScalesAgree() {
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

    /// Lost samples do not change the result.
    @Test(arguments: [1, 7, 40]) mutating func returningFingersRestoreTheZoom(keepEach: Int) {
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

    @Test mutating func aCumulativePinchIsClampedAndRemembersItsOvershoot() {
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

    @Test mutating func cancelledKeepsTheZoom() {
        harness.zoom(to: 2)
        harness.pinch(.began)
        harness.pinch(.changed, 2)
        harness.pinch(.cancelled)
        #expect(near(harness.factor, 4))
        #expect(harness.model.runningGesture == nil)
    }

    @Test mutating func cancelledWithRevertRestoresZoomAndView() {
        harness.zoom(to: 4, anchor: Point(x: 0.2, y: 0.3))
        let before = harness.model.snapshot
        harness.pinch(.began, anchor: Point(x: 0.4, y: 0.6))
        harness.pinch(.changed, 1.7, anchor: Point(x: 0.7, y: 0.1))
        harness.pinch(.cancelled, revert: true)
        #expect(near(harness.factor, 4))
        #expect(near(harness.model.snapshot.viewport.x, before.viewport.x))
        #expect(near(harness.model.snapshot.viewport.y, before.viewport.y))
    }

    @Test(arguments: [(PinchSample.Phase.began, 6.0), (.changed, 4)])
    mutating func revertRestoresTheZoomAfterAFirstScaleOtherThanOne(
        phase: PinchSample.Phase, factor: Double
    ) {
        harness.zoom(to: 3)
        harness.pinch(phase, 1.5)
        harness.pinch(.changed, 2)
        #expect(near(harness.factor, factor))
        harness.pinch(.cancelled, revert: true)
        #expect(near(harness.factor, 3))
    }

    @Test(arguments: [PinchSample.Mode.cumulative, .incremental])
    mutating func theScaleOfBeganAppliesAtOnce(mode: PinchSample.Mode) {
        harness.zoom(to: 2)
        harness.pinch(.began, 1.2, mode: mode)
        #expect(near(harness.factor, 2.4))
        #expect(harness.states.last.map { near($0.zoom.factor, 2.4) } == true)
        #expect(harness.lastGesture == "g of phone: 2.0 × 1.2")
        harness.pinch(.changed, mode == .cumulative ? 1.5 : 1.25, mode: mode)
        #expect(near(harness.factor, 3))
    }

    @Test mutating func theScaleOfBeganIsClamped() {
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

    /// The meaning of a scale does not depend on the mode of the messages before.
    @Test mutating func cumulativeAndIncrementalScalesCanBeMixed() {
        harness.zoom(to: 4)
        harness.pinch(.began)
        harness.pinch(.changed, 4)
        harness.pinch(.changed, 0.5, mode: .incremental)
        #expect(near(harness.factor, 4))
        harness.pinch(.changed, 1.5)
        #expect(near(harness.factor, 6))
    }

    @Test mutating func theRunningGestureIsPublishedAndThenNone() {
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

    @Test mutating func theOriginNamesTheClientOfTheGesture() {
        harness.pinch(.began, by: "tablet")
        #expect(harness.states.last?.zoom.origin == Origin(client: "tablet", kind: .gesture))
    }
}
