import Settings
import TestSupport
import Testing

@testable import Contract

/// What may come twice; `Tests/Scenarios/answers.scenario` has the commands that are carried out once.
struct DuplicateTests {
    let camera = ZoomBench()

    @Test func stepsOfAGestureMayShareAnID() {
        let pinch = PinchSteps(camera: camera, fields: #""client": "phone", "id": "shared", "#)
        for (phase, scale, factor) in [("began", nil, 1.0), ("changed", 1.5, 1.5), ("changed", 2, 2)] {
            let answer = camera.done(.pinch, pinch.command(phase, scale: scale))
            #expect(answer["factor"].isNear(factor))
        }
    }

    @Test func aLeaseIsRenewedUnderTheSameID() {
        for _ in 1...2 { camera.done(.lease, #"{"take": true, "client": "desk", "id": "shared"}"#) }
        camera.done(.lease, #"{"release": true, "client": "desk", "id": "shared"}"#)
    }

    @Test(arguments: [
        (Node.zoom, #""factor": 0"#, CommandError.Code.badPayload, #""factor": 2"#),
        (.zoom, #""factor": 3, "if_rev": 0"#, .conflict, #""factor": 3"#),
        (.controls, #""focus": 100"#, .unavailable, #""focus": 100"#),
    ])
    func aRefusedCommandMayBeSentAgain(
        node: Node, wrong: String, code: CommandError.Code, right: String
    ) {
        camera.done(.controls, #"{"autofocus": true}"#)
        camera.refused(node, #"{\#(wrong), "id": "again", "client": "remote"}"#, code)
        camera.done(.controls, #"{"autofocus": false}"#)
        camera.done(node, #"{\#(right), "id": "again", "client": "remote"}"#)
    }
}
