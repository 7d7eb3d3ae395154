import Glibc
import TestSupport
import Testing
import ZoomModel

/// Pinches of one controller.
struct PinchTests {
    var harness = ZoomHarness(opticalMax: 2)

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

    @Test mutating func theScaleOfBeganIsClamped() {
        harness.zoom(to: 8)
        harness.pinch(.began, 1.5)
        #expect(harness.factor == 8)
        #expect(harness.lastAnswers == [ZoomAnswer(.done, clamped: true)])
        harness.pinch(.changed, 0.5)
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
}
