import TestSupport
import Testing

@testable import Contract

/// Fingers on a view at zoom 4, in the middle of the frame. `ZoomModelTests` has the rules of fingers, and
/// `Tests/Scenarios/touch.scenario` what a controller notices.
struct TouchTests {
    let camera = ZoomBench()

    init() { camera.zoom(to: 4) }

    /// Sends a message with fingers, as a screen reports them, and returns its answer.
    @discardableResult func touch(
        _ fingers: (id: Int, phase: String, x: Double, y: Double)...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> JSONValue {
        let touches = fingers.map {
            #"{"id": \#($0.id), "phase": "\#($0.phase)", "x": \#($0.x), "y": \#($0.y)}"#
        }
        return camera.done(
            .touch, #"{"gesture": "t", "touches": [\#(touches.joined(separator: ", "))], "id": "step"}"#,
            sourceLocation: sourceLocation)
    }

    /// The fingers are 432 pixels apart in a view of 1920 × 1080, before and after.
    @Test func fingersThatTurnAtConstantDistanceDoNotZoom() {
        touch((0, "began", 0.5, 0.3), (1, "began", 0.5, 0.7))
        #expect(touch((0, "moved", 0.3875, 0.5), (1, "moved", 0.6125, 0.5))["factor"].isNear(4))
    }

    @Test func aThirdFingerIsIgnored() {
        touch((0, "began", 0.4, 0.5))
        touch((1, "began", 0.6, 0.5))
        let before = camera.zoom
        touch((2, "began", 0.9, 0.9))
        touch((2, "moved", 0.1, 0.2))
        #expect(camera.bench.state(.touch)["fingers"] == 2)
        #expect(camera.zoom["factor"] == before["factor"] && camera.zoom["viewport"] == before["viewport"])
    }
}
