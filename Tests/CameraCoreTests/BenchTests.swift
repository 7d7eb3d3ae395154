import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// The bench itself: what other tests rely on.
struct BenchTests {
    @Test func aZoomIsAnsweredAndPublished() {
        let bench = CameraBench()
        bench.attach(opticalMax: 4)
        let reply = bench.send(.zoom, #"{"factor": 2, "id": "1"}"#)
        bench.advance(by: .seconds(1))
        #expect(reply.statuses == [.done] && bench.state(.zoom)["factor"] == 2)
        #expect(bench.availability["state"] == "online")
    }

    @Test func aRampTakesVirtualTime() {
        let bench = CameraBench()
        bench.attach(simulated: .init(opticalMaximum: 1, width: 64, height: 36))
        let reply = bench.send(.zoom, #"{"factor": 4, "rate": 1}"#)
        bench.advance(by: .milliseconds(1_990))
        #expect(reply.statuses == [.accepted])
        bench.advance(by: .milliseconds(20))
        #expect(reply.statuses == [.accepted, .done] && bench.state(.zoom)["ramping"] == false)
    }

    @Test func aCommandThatCantBeDecodedIsRefused() {
        let bench = CameraBench()
        bench.attach()
        #expect(bench.send(.zoom, #"{"factor": -1}"#).error?.code == .badPayload)
        #expect(bench.events(.refused).count == 1)
    }

    @Test func aPhotoAndARecordingComeToTheirEnd() {
        let bench = CameraBench()
        bench.attach()
        #expect(bench.send(.capture).statuses == [.accepted, .done])
        let image = bench.send(.capture, #"{"reply": "image"}"#)
        #expect(image.photos.count == 1 && image.isFinished && image.replies.isEmpty)
        let on = bench.send(.recording, "ON")
        bench.advance(by: .seconds(1))
        #expect(on.statuses == [.accepted, .done] && bench.state(.recording)["state"] == "recording")
        let off = bench.send(.recording, "OFF")
        bench.turn()
        #expect(off.statuses == [.accepted, .done] && bench.state(.recording)["state"] == "idle")
    }
}
