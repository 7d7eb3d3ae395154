import TestSupport
import Testing
import ZoomModel

/// The anchor point of a pinch or command stays in place.
struct AnchorTests {
    @Test func anAnchorOutsideTheViewIsClampedToIt() {
        var (harness, other) = (ZoomHarness(), ZoomHarness())
        harness.zoom(to: 4)
        other.zoom(to: 4)
        harness.zoom(to: 6, anchor: Point(x: 1, y: 0))
        other.zoom(to: 6, anchor: Point(x: 1.2, y: -1e300))
        #expect(harness.model.snapshot.viewport == other.model.snapshot.viewport)
        #expect(harness.lastAnswers.first?.clamped == false && other.lastAnswers.first?.clamped == true)
        other.pinch(.began, anchor: Point(x: 7, y: 0.5))
        #expect(other.lastAnswers.first?.clamped == true)
    }

    /// A lens zooms around the center of its frame. The crop moves the anchor point back as soon as there is
    /// room.
    @Test func theAnchorPointReturnsWhenTheCropTakesOverFromTheLens() {
        var harness = ZoomHarness(opticalMax: 2)
        let anchor = Point(x: 0.4, y: 0.55)
        let held = scenePoint(at: anchor, in: harness.model.snapshot)
        harness.pinch(.began, anchor: anchor)
        harness.pinch(.changed, 1.8, anchor: anchor)
        #expect(harness.model.snapshot.viewport == Viewport.whole)
        harness.pinch(.changed, 4, anchor: anchor)
        #expect(near(scenePoint(at: anchor, in: harness.model.snapshot), held))
    }

    @Test func aMovingAnchorDragsTheView() {
        var harness = ZoomHarness()
        harness.zoom(to: 4)
        let held = scenePoint(at: Point(x: 0.4, y: 0.4), in: harness.model.snapshot)
        harness.pinch(.began, anchor: Point(x: 0.4, y: 0.4))
        harness.pinch(.changed, 1, anchor: Point(x: 0.6, y: 0.5))
        #expect(harness.factor == 4)
        #expect(near(scenePoint(at: Point(x: 0.6, y: 0.5), in: harness.model.snapshot), held))
    }

    @Test func theFirstAnchorOfAGestureDoesNotMoveTheView() {
        var harness = ZoomHarness()
        harness.zoom(to: 4)
        harness.pinch(.began)
        harness.pinch(.changed, 1.2)
        let anchor = Point(x: 0.8, y: 0.3)
        let held = scenePoint(at: anchor, in: harness.model.snapshot)
        harness.pinch(.changed, 1.2, anchor: anchor)
        #expect(near(scenePoint(at: anchor, in: harness.model.snapshot), held))
        harness.pinch(.changed, 1.8, anchor: anchor)
        #expect(near(scenePoint(at: anchor, in: harness.model.snapshot), held))
    }

    @Test func anAnchorAtTheEdgeKeepsTheViewInsideTheFrame() {
        var harness = ZoomHarness()
        harness.zoom(to: 8, anchor: Point(x: 0, y: 0))
        #expect(near(scenePoint(at: Point(x: 0, y: 0), in: harness.model.snapshot), Point(x: 0, y: 0)))
        harness.pinch(.began, anchor: Point(x: 1, y: 1))
        harness.pinch(.changed, 0.5, anchor: Point(x: 1, y: 1))
        let view = harness.model.snapshot.viewport
        #expect((view.x, view.y, view.width, view.height) == (0, 0, 0.25, 0.25))
        harness.pinch(.changed, 0.125, anchor: Point(x: 1, y: 1))
        #expect(harness.model.snapshot.viewport == Viewport.whole)
    }

    @Test func aRebasedPinchHoldsThePointThatIsAtItsAnchorThen() {
        var harness = ZoomHarness()
        harness.zoom(to: 2)
        harness.pinch(.began, anchor: Point(x: 0.2, y: 0.2))
        harness.zoom(to: 4, anchor: Point(x: 0.9, y: 0.9), by: "tablet")
        let held = scenePoint(at: Point(x: 0.2, y: 0.2), in: harness.model.snapshot)
        harness.pinch(.changed, 1.5, anchor: Point(x: 0.2, y: 0.2))
        #expect(near(harness.factor, 6))
        #expect(near(scenePoint(at: Point(x: 0.2, y: 0.2), in: harness.model.snapshot), held))
    }

    @Test func withoutAnAnchorTheCenterStays() {
        var harness = ZoomHarness()
        harness.zoom(to: 8, anchor: Point(x: 0.1, y: 0.9))
        let middle = harness.model.center
        harness.zoom(to: 6)
        #expect(near(harness.model.center, middle))
    }
}

extension Viewport {
    static let whole = ZoomHarness().model.snapshot.viewport
}
