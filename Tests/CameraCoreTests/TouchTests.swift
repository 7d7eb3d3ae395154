import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Fingers on a view at zoom 4, in the middle of the frame. `ZoomModelTests` has the rules of fingers.
struct TouchTests {
    let camera = ZoomBench()
    let touch: TouchSteps

    init() {
        camera.zoom(to: 4)
        touch = TouchSteps(camera: camera, name: "t", fields: #""client": "phone", "#)
    }

    /// Puts two fingers around the middle of the view, one after the other; returns the zoom's state then.
    @discardableResult func pinching(distance: Double = 0.2) -> JSONValue {
        touch.step((0, "began", 0.5 - distance / 2, 0.5))
        touch.step((1, "began", 0.5 + distance / 2, 0.5))
        return camera.zoom
    }

    func isUnchanged(since before: JSONValue) -> Bool {
        camera.zoom["factor"] == before["factor"] && camera.zoom["viewport"] == before["viewport"]
    }

    /// Whether the view has a point of the scene at x, y that it had before at another place.
    func shows(_ point: ScenePoint, _ x: Double, _ y: Double) -> Bool {
        ScenePoint(camera.zoom, x, y).isNear(point)
    }

    var fingers: JSONValue { camera.bench.state(.touch)["fingers"] }

    @Test func oneFingerDragsTheView() {
        touch.step((0, "began", 0.5, 0.5))
        let point = ScenePoint(camera.zoom, 0.5, 0.5)
        touch.step((0, "moved", 0.6, 0.45))
        #expect(shows(point, 0.6, 0.45) && camera.zoom["factor"] == 4)
        #expect(camera.zoom["origin"]["kind"] == "gesture")
    }

    @Test func twoFingersPinchAroundTheirMidpoint() {
        touch.step((0, "began", 0.3, 0.6))
        touch.step((1, "began", 0.5, 0.6))
        let point = ScenePoint(camera.zoom, 0.4, 0.6)
        let answer = touch.step((0, "moved", 0.25, 0.6), (1, "moved", 0.55, 0.6))
        #expect(answer["factor"].isNear(6) && shows(point, 0.4, 0.6))
    }

    @Test func onlyTheFingersThatChangedAreSent() {
        pinching()
        #expect(touch.step((1, "moved", 0.7, 0.5))["factor"].isNear(6))
        #expect(touch.step((0, "moved", 0.5, 0.5))["factor"].isNear(4))
    }

    @Test func twoFingersThatMoveTogetherDrag() {
        let point = ScenePoint(pinching(), 0.5, 0.5)
        touch.step((0, "moved", 0.45, 0.55), (1, "moved", 0.65, 0.55))
        #expect(shows(point, 0.55, 0.55) && camera.zoom["factor"].isNear(4))
    }

    /// The fingers are 432 pixels apart in a view of 1920 × 1080, before and after.
    @Test func fingersThatTurnAtConstantDistanceDoNotZoom() {
        touch.step((0, "began", 0.5, 0.3), (1, "began", 0.5, 0.7))
        #expect(touch.step((0, "moved", 0.3875, 0.5), (1, "moved", 0.6125, 0.5))["factor"].isNear(4))
    }

    @Test func aThirdFingerIsIgnored() {
        let before = pinching()
        touch.step((2, "began", 0.9, 0.9))
        touch.step((2, "moved", 0.1, 0.2))
        #expect(fingers == 2 && isUnchanged(since: before))
    }

    @Test func aFingerMoreOrLessCausesNoJump() throws {
        touch.step((0, "began", 0.2, 0.2))
        touch.step((0, "moved", 0.25, 0.2))
        touch.step((1, "began", 0.8, 0.9))
        #expect(touch.step((1, "moved", 0.8, 0.9))["factor"].isNear(4))
        let zoomed = touch.step((0, "moved", 0.4, 0.4))["factor"]
        #expect(try #require(zoomed.number) < 4)
        touch.step((0, "ended", 0.4, 0.4))
        #expect(camera.zoom["factor"] == zoomed)
        let point = ScenePoint(camera.zoom, 0.8, 0.9)
        touch.step((1, "moved", 0.7, 0.9))
        #expect(shows(point, 0.7, 0.9) && camera.zoom["factor"] == zoomed)
    }

    @Test func whenOneOfThreeIsLiftedTheOthersLeadWithoutAJump() {
        let before = pinching()
        touch.step((2, "began", 0.9, 0.9))
        touch.step((0, "ended", 0.4, 0.5))
        #expect(isUnchanged(since: before) && fingers == 2)
        #expect(touch.step((2, "moved", 0.75, 0.7))["factor"].isNear(2))
    }

    @Test func twoFingersOnOneSpotDoNotDivideByZero() throws {
        #expect(pinching(distance: 0)["factor"] == 4)
        let factor = try #require(touch.step((1, "moved", 0.6, 0.5))["factor"].number)
        #expect(4 < factor && factor <= 8)
        #expect(touch.step((1, "moved", 0.5, 0.5))["factor"].isNear(4))
    }

    @Test func theRunningTouchIsPublishedAndThenNull() {
        touch.step((0, "began", 0.4, 0.5))
        let running = camera.bench.state(.touch)
        #expect(running["fingers"] == 1 && running["gesture"] == "t" && running["client"] == "phone")
        touch.step((1, "began", 0.6, 0.5))
        #expect(fingers == 2)
        touch.step((0, "ended", 0.4, 0.5))
        #expect(fingers == 1)
        touch.step((1, "ended", 0.6, 0.5))
        #expect(camera.bench.states(.touch).last == .null)
    }

    @Test func aLateMessageOnlyLiftsFingers() {
        touch.step((0, "began", 0.4, 0.5), (1, "began", 0.6, 0.5), other: #", "seq": 1"#)
        touch.step((1, "moved", 0.7, 0.5), other: #", "seq": 5"#)
        let late = camera.send(
            .touch, touch.command([(1, "moved", 0.9, 0.5)], #", "seq": 4, "id": "late""#))
        #expect(camera.result(late)["status"] == "superseded")
        #expect(touch.step((0, "ended", 0.4, 0.5), other: #", "seq": 3"#)["factor"].isNear(6))
        #expect(fingers == 1)
    }

    @Test func aMoveWithoutABeginningStartsATouch() {
        let answer = touch.step((0, "moved", 0.3, 0.5))
        #expect(answer["factor"] == 4 && camera.zoom["viewport"]["x"].isNear(0.25))
        let point = ScenePoint(camera.zoom, 0.3, 0.5)
        touch.step((0, "moved", 0.4, 0.5))
        #expect(shows(point, 0.4, 0.5))
    }

    @Test func onlyMovesWithoutAnIDStayUnanswered() {
        touch.step((0, "began", 0.5, 0.5))
        let move = camera.send(.touch, touch.command([(0, "moved", 0.55, 0.5)]))
        camera.bench.advance(by: ZoomBench.interval)
        #expect(move.answers.isEmpty)
        touch.step((0, "ended", 0.6, 0.5))
    }

    @Test func fingersWithoutSamplesAreLifted() {
        let camera = ZoomBench(zoom: ZoomSettings(gestureTimeout: .milliseconds(300)))
        camera.zoom(to: 4)
        let touch = TouchSteps(camera: camera)
        touch.step((0, "began", 0.4, 0.5), (1, "began", 0.6, 0.5))
        #expect(camera.bench.state(.touch)["fingers"] == 2)
        camera.bench.advance(by: .milliseconds(300))
        #expect(camera.bench.state(.touch) == .null)
        #expect(touch.step((1, "moved", 0.9, 0.5))["factor"] == 4)
    }
}
