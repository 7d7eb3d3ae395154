import Testing
import ZoomModel

/// The point between the fingers stays where it is on the screen.
struct AnchorTests {
    private static let anchors = [
        Point(x: 0.25, y: 0.75), .middle, Point(x: 0.7, y: 0.1), Point(x: 0, y: 0), Point(x: 1, y: 1),
    ]

    @Test(arguments: anchors, [1.0, 2]) func aPinchInwardsKeepsItAllTheWay(anchor: Point, opticalMax: Double)
    {
        var bench = Bench(opticalMax: opticalMax)
        bench.zoom(to: opticalMax)
        let held = scenePoint(at: anchor, in: bench.model.snapshot)
        bench.pinch(.began, anchor: anchor)
        for scale in [1.1, 1.5, 2.5, 4] {
            bench.pinch(.changed, scale, anchor: anchor)
            #expect(near(scenePoint(at: anchor, in: bench.model.snapshot), held))
        }
    }

    @Test(arguments: anchors) func aCommandKeepsIt(anchor: Point) {
        var bench = Bench(opticalMax: 2)
        bench.zoom(to: 3)
        let held = scenePoint(at: anchor, in: bench.model.snapshot)
        bench.zoom(to: 6, anchor: anchor)
        #expect(near(scenePoint(at: anchor, in: bench.model.snapshot), held))
    }

    @Test func onesOutsideOfTheViewCountAsAtItsEdge() {
        var (bench, other) = (Bench(), Bench())
        bench.zoom(to: 4)
        other.zoom(to: 4)
        bench.zoom(to: 6, anchor: Point(x: 1, y: 0))
        other.zoom(to: 6, anchor: Point(x: 1.2, y: -1e300))
        #expect(bench.model.snapshot.viewport == other.model.snapshot.viewport)
        #expect(bench.lastAnswers.first?.clamped == false && other.lastAnswers.first?.clamped == true)
        other.pinch(.began, anchor: Point(x: 7, y: 0.5))
        #expect(other.lastAnswers.first?.clamped == true)
    }

    /// A lens zooms round its own middle; what it moved away from the fingers the crop brings back as soon as there is room.
    @Test func itComesBackToTheFingersWhenTheCropTakesOverFromTheLens() {
        var bench = Bench(opticalMax: 2)
        let anchor = Point(x: 0.4, y: 0.55)
        let held = scenePoint(at: anchor, in: bench.model.snapshot)
        bench.pinch(.began, anchor: anchor)
        bench.pinch(.changed, 1.8, anchor: anchor)
        #expect(bench.model.snapshot.viewport == Viewport.whole)
        bench.pinch(.changed, 4, anchor: anchor)
        #expect(near(scenePoint(at: anchor, in: bench.model.snapshot), held))
    }

    @Test func fingersThatMoveDragThePictureAlong() {
        var bench = Bench()
        bench.zoom(to: 4)
        let held = scenePoint(at: Point(x: 0.4, y: 0.4), in: bench.model.snapshot)
        bench.pinch(.began, anchor: Point(x: 0.4, y: 0.4))
        bench.pinch(.changed, 1, anchor: Point(x: 0.6, y: 0.5))
        #expect(bench.factor == 4)
        #expect(near(scenePoint(at: Point(x: 0.6, y: 0.5), in: bench.model.snapshot), held))
    }

    @Test func theFirstWordOfWhereTheFingersAreMovesNothing() {
        var bench = Bench()
        bench.zoom(to: 4)
        bench.pinch(.began)
        bench.pinch(.changed, 1.2)
        let anchor = Point(x: 0.8, y: 0.3)
        let held = scenePoint(at: anchor, in: bench.model.snapshot)
        bench.pinch(.changed, 1.2, anchor: anchor)
        #expect(near(scenePoint(at: anchor, in: bench.model.snapshot), held))
        bench.pinch(.changed, 1.8, anchor: anchor)
        #expect(near(scenePoint(at: anchor, in: bench.model.snapshot), held))
    }

    @Test func atTheEdgeTheViewStaysInsideTheFrame() {
        var bench = Bench()
        bench.zoom(to: 8, anchor: Point(x: 0, y: 0))
        #expect(near(scenePoint(at: Point(x: 0, y: 0), in: bench.model.snapshot), Point(x: 0, y: 0)))
        bench.pinch(.began, anchor: Point(x: 1, y: 1))
        bench.pinch(.changed, 0.5, anchor: Point(x: 1, y: 1))
        let view = bench.model.snapshot.viewport
        #expect((view.x, view.y, view.width, view.height) == (0, 0, 0.25, 0.25))
        bench.pinch(.changed, 0.125, anchor: Point(x: 1, y: 1))
        #expect(bench.model.snapshot.viewport == Viewport.whole)
    }

    @Test func whoComesAfterHoldsWhatIsThereThen() {
        var bench = Bench()
        bench.zoom(to: 2)
        bench.pinch(.began, anchor: Point(x: 0.2, y: 0.2))
        bench.zoom(to: 4, anchor: Point(x: 0.9, y: 0.9), by: "tablet")
        let held = scenePoint(at: Point(x: 0.2, y: 0.2), in: bench.model.snapshot)
        bench.pinch(.changed, 1.5, anchor: Point(x: 0.2, y: 0.2))
        #expect(near(bench.factor, 6))
        #expect(near(scenePoint(at: Point(x: 0.2, y: 0.2), in: bench.model.snapshot), held))
    }

    @Test func whoZoomsOutAllTheWayForgetsTheCorner() {
        var bench = Bench()
        bench.zoom(to: 8, anchor: Point(x: 0.1, y: 0.9))
        bench.zoom(to: 1)
        bench.zoom(to: 4)
        #expect(bench.model.center == .middle)
    }

    @Test func withoutAnAnchorTheMiddleStaysInTheMiddle() {
        var bench = Bench()
        bench.zoom(to: 8, anchor: Point(x: 0.1, y: 0.9))
        let middle = bench.model.center
        bench.zoom(to: 6)
        #expect(near(bench.model.center, middle))
    }
}

extension Viewport {
    static let whole = Bench().model.snapshot.viewport
}
