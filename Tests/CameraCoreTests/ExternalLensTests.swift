import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Another program, or a person at the camera, turns the lens.
struct ExternalLensTests {
    let bench: CameraBench
    let device: ScriptedCamera

    init() { (bench, device) = Self.camera(.follow) }

    /// A camera at zoom 2 whose lens reaches 8.
    static func camera(_ external: ExternalChanges) -> (CameraBench, ScriptedCamera) {
        let bench = CameraBench(CameraSettings(external: external))
        let device = bench.attach(opticalMax: 8)
        bench.send(.zoom, "2")
        bench.advance(by: .seconds(1))
        return (bench, device)
    }

    /// What a source reports when the lens was turned to a factor.
    static let turns: [@Sendable (Double) -> LensReport] = [
        { .moved(optical: $0, moving: false) }, { .taken(optical: $0) },
    ]

    @Test(arguments: turns.indices) func aTurnOfTheLensIsPublished(turn: Int) {
        let calls = device.calls.count
        device.report(Self.turns[turn](3.33))
        bench.advance(by: .seconds(1))
        let state = bench.state(.zoom)
        #expect(state["factor"] == 3.33 && state["target"] == 3.33 && state["optical"] == 3.33)
        #expect(state["digital"] == 1 && state["origin"] == ["kind": "external"])
        #expect(device.calls.count == calls, "the lens isn't turned again")
    }

    @Test func theLensGoesBackToItsFactorBeforeTheTurn() {
        device.report(.moved(optical: 4.5, moving: false))
        let reply = bench.send(.zoom, "2")
        bench.advance(by: .seconds(1))
        #expect(reply.statuses == [.done] && device.calls.last == .driveLens(2))
        #expect(bench.state(.zoom)["factor"] == 2 && device.description.optical == 2)
    }

    @Test(arguments: turns.indices) func aPinchContinuesFromTheTurnedLens(turn: Int) {
        func pinch(_ step: String, factor: Double) {
            bench.send(.pinch, #"{"gesture": "g", \#(step)}"#)
            bench.advance(by: .milliseconds(100))
            #expect(bench.state(.zoom)["factor"].isNear(factor))
        }
        pinch(#""phase": "began""#, factor: 2)
        pinch(#""phase": "changed", "scale": 1.25"#, factor: 2.5)
        device.report(Self.turns[turn](4))
        pinch(#""phase": "changed", "scale": 1.25"#, factor: 4)
        pinch(#""phase": "changed", "scale": 1"#, factor: 3.2)
        #expect(device.calls.last == .driveLens(3.2))
    }

    @Test func aTurnEndsARamp() {
        let ramp = bench.send(.zoom, #"{"factor": 4, "rate": 0.1}"#)
        bench.advance(by: .seconds(1))
        device.report(.taken(optical: 4.8))
        bench.advance(by: .seconds(1))
        #expect(ramp.statuses == [.accepted, .superseded])
        let state = bench.state(.zoom)
        #expect(state["optical"] == 4.8 && state["ramping"] == false && state["origin"]["kind"] == "external")
        #expect(device.description.optical == 4.8)
    }

    @Test func theLensThatReportsItsOwnArrivalWasNotTurned() {
        bench.frontEnd.removeAll()
        bench.send(.zoom, "4")
        device.report(.moved(optical: 4, moving: false))
        bench.advance(by: .seconds(1))
        #expect(bench.states(.zoom).allSatisfy { $0["origin"]["kind"] == "command" })
        #expect(bench.state(.zoom)["factor"] == 4)
    }

    @Test(arguments: turns.indices) func withReassertTheLensGoesBack(turn: Int) {
        let (bench, device) = Self.camera(.reassert)
        device.report(Self.turns[turn](4.44))
        bench.advance(by: .seconds(1))
        #expect(device.calls.last == .driveLens(2) && device.description.optical == 2)
        #expect(bench.state(.zoom)["factor"] == 2 && bench.state(.zoom)["target"] == 2)
    }
}
