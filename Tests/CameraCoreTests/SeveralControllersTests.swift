import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Two controllers on one camera: neither jumps back to its own past. `ZoomModelTests` has the rules.
struct SeveralControllersTests {
    let camera = ZoomBench()
    let first: PinchSteps
    let second: PinchSteps

    /// Two phones may choose the same name for a gesture.
    init() {
        first = PinchSteps(camera: camera, fields: #""client": "a", "#)
        second = PinchSteps(camera: camera, fields: #""client": "b", "#)
    }

    @Test(arguments: [
        // A scale, a command of another client, the base after it, the next scale and its factor.
        (2.0, #"{"factor": 3}"#, 1.5, 2.5, 3.75), (16, #"{"factor": 4}"#, 0.25, 20, 5),
        (2, #"{"by": 1.5}"#, 1.5, 3, 4.5),
    ])
    func aPinchContinuesFromTheZoomOfAnotherClient(
        scale: Double, command: String, base: Double, next: Double, factor: Double
    ) {
        first.step("began")
        first.step("changed", scale: scale)
        let factorOfOther = camera.done(.zoom, command)["factor"]
        #expect(camera.bench.state(.pinch)["base"].isNear(base))
        #expect(first.step("changed", scale: scale)["factor"] == factorOfOther)
        #expect(first.step("changed", scale: next)["factor"].isNear(factor))
        #expect(first.step("ended")["factor"].isNear(factor))
    }

    @Test func twoPinchesAtOnceTakeTurnsWithoutAJump() {
        camera.zoom(to: 2)
        let steps: [(PinchSteps, String, Double?, Double)] = [
            (first, "began", nil, 2), (first, "changed", 1.5, 3), (second, "began", nil, 3),
            (second, "changed", 2, 6), (first, "changed", 1.5, 6), (first, "changed", 1.25, 5),
            (second, "changed", 2, 5), (first, "ended", nil, 5), (second, "ended", nil, 5),
        ]
        for (number, (pinch, phase, scale, factor)) in steps.enumerated() {
            #expect(pinch.step(phase, scale: scale)["factor"].isNear(factor), "step \(number)")
        }
        let revs = camera.bench.states(.zoom).compactMap { $0["rev"].number }
        #expect(revs == revs.sorted())
    }

    @Test func aPinchSupersedesARamp() throws {
        let ramp = camera.send(.zoom, #"{"factor": 8, "rate": 0.1}"#)
        camera.bench.advance(by: .seconds(1))
        let factor = try #require(first.step("began")["factor"].number)
        #expect(1 < factor && factor < 1.1)
        #expect(first.step("changed", scale: 2)["factor"].isNear(2 * factor))
        #expect(ramp.statuses == [.accepted, .superseded])
    }

    @Test func theLastOfManyCommandsWins() {
        let sent = (0..<80).map { camera.send(.zoom, #"{"factor": \#(1 + Double($0 / 2) / 8)}"#) }
        camera.bench.advance(by: ZoomBench.interval)
        #expect(sent.allSatisfy { $0.isFinished && $0.answers.count == 1 })
        #expect(sent.last?.last?.rev.map(Double.init) == camera.zoom["rev"].number)
        #expect(camera.zoom["factor"].isNear(5.875) && camera.zoom["target"].isNear(5.875))
    }

    @Test func aControllerThatVanishesLeavesTheZoomToTheOthers() {
        let camera = ZoomBench(zoom: ZoomSettings(gestureTimeout: .milliseconds(300)))
        let vanishing = PinchSteps(camera: camera, name: "vanishing")
        vanishing.step("began")
        vanishing.step("changed", scale: 2)
        #expect(camera.bench.state(.pinch)["gesture"] == "vanishing")
        camera.bench.advance(by: .milliseconds(300))
        #expect(camera.bench.state(.pinch) == .null)
        let other = PinchSteps(camera: camera, name: "other")
        #expect(other.step("began")["factor"] == 2)
        #expect(other.step("changed", scale: 1.5)["factor"].isNear(3))
    }

    @Test func theOriginNamesTheCommandThatChangedTheZoom() {
        for (number, client) in ["phone", "wall", "phone"].enumerated() {
            camera.done(.zoom, #"{"by": 1.1, "client": "\#(client)", "id": "\#(client)-\#(number)"}"#)
            #expect(
                camera.zoom["origin"]
                    == [
                        "kind": "command", "client": .text(client), "proved": false,
                        "id": .text("\(client)-\(number)"),
                    ])
        }
    }
}
