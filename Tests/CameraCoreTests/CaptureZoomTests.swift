import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// Photos and the zoom: a capture waits for the zoom, moves it itself, and gives way to a newer request.
struct CaptureZoomTests {
    let bench = CameraBench()
    let device: ScriptedCamera

    init() { device = bench.attach() }

    @Test func aCaptureCanZoomFirst() {
        let reply = bench.send(
            .capture, #"{"zoom": {"factor": 4, "rate": 8}, "client": "tablet", "id": "1"}"#)
        bench.advance(by: .milliseconds(240))
        #expect(reply.statuses == [.accepted] && bench.state(.capture)["pending"] == 1)
        bench.advance(by: .milliseconds(100))
        #expect(reply.statuses == [.accepted, .done])
        let photo = reply.lastMessage["photos"][0]
        let zoom = bench.state(.zoom)
        #expect(photo["factor"] == 4 && zoom["factor"] == 4 && photo["viewport"] == zoom["viewport"])
        #expect(zoom["origin"]["client"] == "tablet" && zoom["origin"]["id"] == "1")
        #expect(photo["exposed_at"].text ?? "" >= zoom["ts"].text ?? "~")
    }

    @Test func aSeriesZoomsOnce() {
        let series = bench.send(.capture, #"{"zoom": {"factor": 4}, "count": 2, "interval_ms": 1000}"#)
        bench.advance(by: .milliseconds(500))
        #expect(bench.send(.zoom, #"{"factor": 2}"#).statuses == [.done])
        bench.advance(by: .seconds(1))
        #expect(series.lastMessage["photos"].list.map { $0["factor"] } == [4, 2])
    }

    @Test func aPhotoWaitsForTheEndOfARamp() {
        let ramp = bench.send(.zoom, #"{"factor": 4, "rate": 4}"#)
        let capture = bench.send(.capture)
        bench.advance(by: .milliseconds(490))
        #expect(ramp.statuses == [.accepted] && capture.statuses == [.accepted])
        bench.advance(by: .milliseconds(50))
        #expect(ramp.statuses == [.accepted, .done] && capture.statuses == [.accepted, .done])
        let photo = capture.lastMessage["photos"][0]
        #expect(photo["factor"] == 4)
        #expect(photo["exposed_at"].text ?? "" >= bench.state(.zoom)["ts"].text ?? "~")
    }

    @Test func afterAZoomDuringTheExposureAnotherFrameIsTaken() {
        device.held = [.frame]
        let capture = bench.send(.capture)
        #expect(bench.send(.zoom, #"{"factor": 2}"#).statuses == [.done])
        device.held = []
        device.release(.frame)
        bench.advance(by: .milliseconds(100))
        let photo = capture.lastMessage["photos"][0]
        #expect(photo["factor"] == 2 && photo["viewport"] == bench.state(.zoom)["viewport"])
    }

    @Test func aFrameFromBeforeTheLensMovedIsNotUsed() {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 4)
        device.held = [.frame]
        let capture = bench.send(.capture)
        bench.send(.zoom, #"{"factor": 2}"#)
        device.held = []
        device.release(.frame)
        bench.advance(by: .milliseconds(100))
        let photo = capture.lastMessage["photos"][0]
        #expect(photo["factor"] == 2 && bench.media.encoded.map(\.view) == [.whole])
        let requests = device.calls.count { if case .frame = $0 { true } else { false } }
        #expect(requests == 2, "the first frame may show the lens on its way")
    }

    @Test func aNewerZoomSupersedesCapturesThatZoom() {
        let moving = bench.send(.capture, #"{"zoom": {"factor": 8, "rate": 1}}"#)
        let waiting = bench.send(.capture, #"{"zoom": {"factor": 4}}"#)
        let plain = bench.send(.capture)
        bench.advance(by: .milliseconds(500))
        #expect(bench.send(.zoom, #"{"factor": 2}"#).statuses == [.done])
        bench.advance(by: .milliseconds(100))
        #expect(moving.statuses == [.accepted, .superseded])
        #expect(waiting.statuses == [.accepted, .superseded])
        #expect(plain.statuses == [.accepted, .done] && plain.lastMessage["photos"][0]["factor"] == 2)
        #expect(bench.state(.capture)["counter"] == 1 && bench.state(.capture)["pending"] == 0)
        #expect(bench.state(.zoom)["factor"] == 2, "a superseded capture moved the zoom")
    }

    @Test func aNewerZoomSupersedesCapturesThatWaitBehindAPlainOne() {
        bench.media.held = [.encode]
        let plain = bench.send(.capture)
        let waiting = bench.send(.capture, #"{"zoom": {"factor": 4}}"#)
        bench.send(.zoom, #"{"factor": 2}"#)
        #expect(waiting.statuses == [.accepted, .superseded] && bench.state(.capture)["pending"] == 1)
        bench.media.held = []
        bench.media.release(.encode)
        bench.advance(by: .milliseconds(100))
        #expect(plain.final?.status == .done && bench.state(.zoom)["factor"] == 2)
    }

    @Test func aPinchSupersedesTheCaptureThatZoomsAndThoseBehindIt() {
        bench.send(.zoom, #"{"factor": 2}"#)
        let moving = bench.send(.capture, #"{"zoom": {"factor": 8, "rate": 1}}"#)
        let waiting = bench.send(.capture, #"{"zoom": {"factor": 4}}"#)
        let plain = bench.send(.capture)
        bench.advance(by: .milliseconds(500))
        bench.send(.pinch, #"{"gesture": "g", "phase": "began", "scale": 1.5}"#)
        bench.advance(by: .seconds(3))
        let statuses = [moving, waiting, plain].map(\.statuses)
        #expect(statuses == [[.accepted, .superseded], [.accepted, .superseded], [.accepted, .done]])
        #expect(bench.state(.zoom)["factor"] != 4)
    }

    @Test func aStartedSeriesIsNotSuperseded() {
        let series = bench.send(.capture, #"{"zoom": {"factor": 4}, "count": 2, "interval_ms": 1000}"#)
        bench.advance(by: .milliseconds(500))
        bench.send(.zoom, #"{"factor": 2, "rate": 1}"#)
        bench.advance(by: .seconds(3))
        #expect(series.statuses == [.accepted, .done])
    }

    @Test func aPhotoWaits30SecondsForTheZoom() {
        bench.send(.zoom, #"{"factor": 8, "rate": 0.05}"#)
        let capture = bench.send(.capture)
        bench.advance(by: .milliseconds(29_900))
        #expect(capture.statuses == [.accepted])
        bench.advance(by: .milliseconds(200))
        #expect(capture.statuses == [.accepted, .error] && capture.error?.code == .busy)
        #expect(bench.state(.capture)["pending"] == 0)
    }

    @Test func aLensThatFailsFailsTheCapture() {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 4)
        device.failures = [.lens: .device("the lens is stuck")]
        let capture = bench.send(.capture, #"{"zoom": {"factor": 2}}"#)
        bench.advance(by: .seconds(1))
        #expect(capture.statuses == [.accepted, .error] && capture.error?.code == .device)
        #expect(bench.state(.capture)["counter"] == 0 && bench.state(.capture)["pending"] == 0)
    }
}
