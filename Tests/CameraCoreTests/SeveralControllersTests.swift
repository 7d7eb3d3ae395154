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

    @Test func theLastOfManyCommandsWins() {
        let sent = (0..<80).map { camera.send(.zoom, #"{"factor": \#(1 + Double($0 / 2) / 8)}"#) }
        camera.bench.advance(by: ZoomBench.interval)
        #expect(sent.allSatisfy { $0.isFinished && $0.answers.count == 1 })
        #expect(sent.last?.last?.rev.map(Double.init) == camera.zoom["rev"].number)
        #expect(camera.zoom["factor"].isNear(5.875) && camera.zoom["target"].isNear(5.875))
    }
}
