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

    @Test func aPointOfTheViewBecomesItsCenter() {
        let point = ScenePoint(camera.zoom, 0.7, 0.4)
        let answer = camera.done(.viewport, #"{"center": {"x": 0.7, "y": 0.4}}"#)
        #expect(ScenePoint(camera.zoom, 0.5, 0.5).isNear(point))
        #expect(answer["factor"] == 4 && camera.zoom["factor"] == 4 && answer["clamped"] == nil)
    }

    @Test func theViewMovesByFractionsOfItself() {
        camera.done(.viewport, #"{"by": {"dx": 0.25, "dy": -0.5}}"#)
        #expect(isCorner(0.375, 0))
        camera.done(.viewport, #"{"by": {"dy": 0.5}}"#)
        #expect(isCorner(0.375, 0.25))
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

    @Test func theStateOfTheNodeHasTheCenter() throws {
        let answer = camera.done(.viewport, #"{"by": {"dx": 0.5}}"#)
        camera.bench.advance(by: .seconds(1))
        let state = camera.bench.state(.viewport)
        #expect(state["viewport"] == camera.zoom["viewport"])
        #expect(state["center"]["x"].isNear(0.75) && state["center"]["y"].isNear(0.5))
        #expect(try #require(state["rev"].number) >= #require(answer["rev"].number))
    }

    @Test func theOriginNamesTheClient() {
        camera.done(.viewport, #"{"by": {"dx": 0.1}, "client": "tablet", "id": "v-1"}"#)
        #expect(
            camera.zoom["origin"] == ["kind": "command", "client": "tablet", "proved": false, "id": "v-1"])
    }

    @Test func aRampContinues() {
        let ramp = camera.send(.zoom, #"{"factor": 8, "rate": 2}"#)
        camera.bench.advance(by: .milliseconds(100))
        camera.done(.viewport, #"{"by": {"dx": 0.1}}"#)
        #expect(camera.result(ramp)["status"] == "done" && camera.zoom["factor"] == 8)
    }

    @Test func aPinchContinuesFromThePresentView() {
        let pinch = PinchSteps(camera: camera)
        pinch.step("began")
        #expect(pinch.step("changed", scale: 1.25)["factor"].isNear(5))
        camera.done(.viewport, #"{"by": {"dx": 0.2}}"#)
        let after = camera.zoom
        #expect(pinch.step("changed", scale: 1.5)["factor"].isNear(6))
        #expect(ScenePoint(camera.zoom, 0.5, 0.5).isNear(ScenePoint(after, 0.5, 0.5)))
    }
}
