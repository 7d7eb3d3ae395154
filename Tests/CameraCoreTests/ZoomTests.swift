import Settings
import TestSupport
import Testing

@testable import Contract

/// What a controller notices of zooms without a rate. The arithmetic is tested in `ZoomModelTests`.
struct ZoomTests {
    let camera = ZoomBench()

    @Test func aFactorIsAnsweredAndPublished() {
        let answer = camera.done(.zoom, #"{"factor": 2.5, "client": "tablet", "id": "z-1"}"#)
        #expect(answer["factor"] == 2.5 && answer["target"] == 2.5)
        let state = camera.zoom
        #expect(state["factor"] == 2.5 && state["target"] == 2.5 && state["ramping"] == false)
        #expect(state["origin"] == ["kind": "command", "client": "tablet", "proved": false, "id": "z-1"])
        #expect(state["rev"] == answer["rev"] && state["boot"] == answer["boot"])
    }

    @Test(arguments: [
        ("3.5", 3.5), (#"{"factor": 8}"#, 8), (#"{"by": 1.5}"#, 3), (#"{"by": 0.5}"#, 1),
        (#"{"position": 0}"#, 1), (#"{"position": 0.5}"#, 4.5), (#"{"position": 1}"#, 8),
    ])
    func aCommandWithinTheRangeReachesItsFactor(command: String, factor: Double) {
        camera.zoom(to: 2)
        let answer = camera.done(.zoom, command)
        #expect(answer["factor"].isNear(factor) && answer["target"].isNear(factor))
        #expect(answer["clamped"] == nil)
        #expect(camera.zoom["factor"].isNear(factor) && camera.zoom["position"].isNear((factor - 1) / 7))
    }

    @Test(arguments: [
        (#"{"factor": 100}"#, 8.0), (#"{"factor": 0.01}"#, 1), (#"{"position": 1.5}"#, 8),
        (#"{"position": -1}"#, 1), (#"{"by": 50}"#, 8), ("9", 8),
    ])
    func beyondTheRangeTheFactorIsClampedAndTheAnswerSaysSo(command: String, factor: Double) {
        camera.zoom(to: 2)
        #expect(camera.done(.zoom, command)["clamped"] == true)
        #expect(camera.zoom["factor"] == .number(factor))
    }

    @Test func byMultipliesTheTargetOfARamp() {
        let ramp = camera.send(.zoom, #"{"factor": 4, "rate": 0.2}"#)
        #expect(ramp.statuses == [.accepted])
        #expect(camera.done(.zoom, #"{"by": 2}"#)["factor"].isNear(8))
        #expect(ramp.statuses == [.accepted, .superseded])
    }

    @Test func theLensGoesFirstAndTheCropDoesTheRest() {
        for (factor, optical) in [(1.5, 1.5), (2, 2), (6, 2)] {
            #expect(camera.zoom(to: factor)["optical"].isNear(optical))
        }
        #expect(camera.zoom["digital"].isNear(3))
        for field in ["x", "y", "width", "height"] {
            #expect(camera.zoom["viewport"][field].isNear(1.0 / 3))
        }
    }

    @Test func eachChangeIsOneRev() throws {
        let revs = [2, 3, 4].map { camera.zoom(to: $0)["rev"].number }
        let first = try #require(revs[0])
        #expect(revs == [first, first + 1, first + 2])
    }

    @Test(arguments: [(0.25, 0.75), (0.5, 0.5), (0.7, 0.1), (0, 0), (1, 1)])
    func theAnchorKeepsItsPointOfTheScene(x: Double, y: Double) {
        let before = camera.zoom(to: 3)
        camera.done(.zoom, #"{"factor": 6, "anchor": {"x": \#(x), "y": \#(y)}}"#)
        #expect(ScenePoint(camera.zoom, x, y).isNear(ScenePoint(before, x, y)))
    }

    @Test func zoomingOutShowsTheWholePicture() {
        camera.done(.zoom, #"{"factor": 8, "anchor": {"x": 0.1, "y": 0.9}}"#)
        #expect(camera.zoom(to: 1)["viewport"] == ["x": 0, "y": 0, "width": 1, "height": 1])
    }

    @Test func anAnchoredCropStaysWithinTheFrame() throws {
        camera.done(.zoom, #"{"factor": 8, "anchor": {"x": 0, "y": 0}}"#)
        camera.done(.zoom, #"{"factor": 2.5, "anchor": {"x": 1, "y": 1}}"#)
        let view = camera.zoom["viewport"]
        for (place, length) in [("x", "width"), ("y", "height")] {
            let (start, size) = (try #require(view[place].number), try #require(view[length].number))
            #expect(start >= 0 && start + size < 1.000_01)
        }
    }
}
