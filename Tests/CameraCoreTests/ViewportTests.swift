import Settings
import TestSupport
import Testing

@testable import Contract

/// Moving the view at zoom 4: the lens gives 2, so the view is half the frame wide.
struct ViewportTests {
    let camera = ZoomBench()

    init() { camera.zoom(to: 4) }

    func isCorner(_ x: Double, _ y: Double) -> Bool {
        camera.zoom["viewport"]["x"].isNear(x) && camera.zoom["viewport"]["y"].isNear(y)
    }

    @Test func theEdgeOfTheFrameStopsTheView() {
        #expect(camera.done(.viewport, #"{"by": {"dx": 3, "dy": 0.1}}"#)["clamped"] == true)
        #expect(isCorner(0.5, 0.3))
        #expect(camera.done(.viewport, #"{"by": {"dx": -0.1}}"#)["clamped"] == nil)
        #expect(isCorner(0.45, 0.3), "no overshoot is kept")
    }

    @Test func theWholeFrameCanNotMove() {
        camera.zoom(to: 1)
        #expect(camera.done(.viewport, #"{"center": {"x": 0, "y": 0}}"#)["clamped"] == true)
        #expect(isCorner(0, 0))
    }
}
