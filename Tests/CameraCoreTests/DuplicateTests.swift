import Settings
import TestSupport
import Testing

@testable import Contract

/// A command that is delivered twice, because its sender had no answer, is carried out once.
struct DuplicateTests {
    let camera = ZoomBench()

    @Test func aRepeatedCommandIsRefusedAndCarriedOutOnce() throws {
        let command = #"{"by": 2, "id": "twice", "client": "remote"}"#
        #expect(camera.done(.zoom, command)["factor"] == 2)
        let error = camera.refused(.zoom, command, .duplicate, field: "id")
        #expect(error["message"].text?.contains("twice") == true)
        let event = try #require(camera.bench.events(.refused).last)
        #expect(event.error?.code == .duplicate && event.id == "twice" && event.client == "remote")
        #expect(camera.zoom["factor"] == 2)
    }

    @Test func aRefusedRepetitionLeavesTheRecordOfTheCommand() {
        let command = #"{"by": 2, "id": "twice", "client": "remote"}"#
        #expect(camera.done(.zoom, command)["factor"] == 2)
        camera.done(.lease, #"{"take": true, "client": "other"}"#)
        camera.refused(.zoom, command, .held)
        camera.done(.lease, #"{"release": true, "client": "other"}"#)
        camera.refused(.zoom, command, .duplicate)
        #expect(camera.zoom["factor"] == 2)
    }

    @Test func aRepeatedCaptureTakesOnePhoto() {
        let command = #"{"size": {"width": 64}, "id": "twice", "client": "remote"}"#
        let photo = camera.done(.capture, command)["photos"][0]
        camera.refused(.capture, command, .duplicate)
        let state = camera.bench.state(.capture)
        #expect(state["counter"] == photo["sequence"] && state["pending"] == 0)
        #expect(camera.bench.frontEnd.photos.count == 1)
    }

    @Test func aRepeatedViewportStepMovesTheViewOnce() {
        camera.zoom(to: 8)
        let command = #"{"by": {"dx": 0.25}, "id": "twice", "client": "remote"}"#
        camera.done(.viewport, command)
        let view = camera.zoom["viewport"]
        camera.refused(.viewport, command, .duplicate)
        #expect(camera.zoom["viewport"] == view)
    }

    @Test func anotherClientMayUseTheSameID() {
        for (client, factor) in [("a", 2.0), ("b", 4)] {
            let answer = camera.done(.zoom, #"{"by": 2, "id": "twice", "client": "\#(client)"}"#)
            #expect(answer["factor"] == .number(factor))
        }
    }

    @Test func anIDIsFreeAgainAfterTenMinutes() {
        let command = #"{"by": 2, "id": "twice", "client": "remote"}"#
        camera.done(.zoom, command)
        camera.bench.advance(by: .seconds(600))
        #expect(camera.done(.zoom, command)["factor"] == 4)
    }

    @Test func commandsWithoutAnIDAreNeverDuplicates() {
        for factor in [2.0, 4, 8] {
            #expect(camera.done(.zoom, #"{"by": 2, "client": "remote"}"#)["factor"] == .number(factor))
        }
    }

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
