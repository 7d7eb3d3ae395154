import Settings
import TestSupport
import Testing

@testable import Contract

/// Every command is answered, and the answer identifies its command.
struct AnswerTests {
    let camera = ZoomBench()

    @Test func anAnswerSaysWhatWasDone() {
        let answer = camera.done(.zoom, #"{"factor": 3, "id": "a-1", "client": "tablet"}"#)
        #expect(answer["id"] == "a-1" && answer["client"] == "tablet")
        #expect(answer["camera"] == "camera" && answer["node"] == "zoom" && answer["status"] == "done")
        #expect(answer["factor"] == 3 && answer["target"] == 3)
        #expect(answer["rev"] == camera.zoom["rev"] && answer["boot"] == camera.zoom["boot"])
        #expect(answer["ts"] == camera.zoom["ts"])
    }

    @Test(arguments: [
        (Node.zoom, "2.5"), (.zoom, #"{"stop": true}"#), (.pinch, #"{"gesture": "g", "phase": "ended"}"#),
        (.touch, #"{"gesture": "g", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "ended"}]}"#),
        (.viewport, #"{"by": {"dx": 0}}"#), (.controls, #"{"brightness": 100}"#),
        (.capture, #"{"size": {"width": 64}}"#), (.lease, #"{"release": true}"#),
        (.desired, #"{"version": 1}"#), (.presets, #"{"save": "here"}"#), (.session, "low"),
        (.preview, #"{"stop": true}"#), (.recording, "ON"), (.privacy, "ON"),
        (.media, #"{"list": {}}"#),
    ])
    func everyNodeAnswersEachCommandOnce(node: Node, command: String) {
        let request = camera.send(node, command)
        let answer = camera.result(request)
        #expect(answer["status"] == "done" && answer["node"] == .text(node.name), "\(answer)")
        camera.bench.advance(by: .seconds(5))
        #expect(request.statuses.count { $0 != .accepted } == 1)
        #expect(request.statuses.count { $0 == .accepted } <= 1)
    }

    @Test func whatTakesTimeIsAcceptedFirst() {
        let ramp = camera.send(.zoom, #"{"factor": 2, "rate": 8}"#)
        #expect(camera.result(ramp)["status"] == "done" && ramp.statuses == [.accepted, .done])
    }

    @Test func eachRequestGetsItsOwnAnswersOnly() {
        let (first, second) = (camera.send(.zoom, #"{"factor": 2}"#), camera.send(.zoom, #"{"factor": 3}"#))
        camera.bench.advance(by: .seconds(1))
        #expect(first.replies.map(\.factor) == [2] && second.replies.map(\.factor) == [3])
    }
}
