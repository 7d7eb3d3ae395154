import Core
import Settings
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// The right of one client to move the zoom alone, for a limited time; `Tests/Scenarios/lease.scenario` has
/// its life.
struct LeaseTests {
    let camera = ZoomBench()

    init() { camera.zoom(to: 2) }

    func take(_ client: String = "desk", sourceLocation: SourceLocation = #_sourceLocation) {
        camera.done(
            .lease, #"{"take": true, "client": "\#(client)", "ttl_ms": 60000, "force": true}"#,
            sourceLocation: sourceLocation)
    }

    @Test(
        arguments: [
            (Node.zoom, #""factor": 5}"#), (.zoom, #""stop": true}"#),
            (.pinch, #""gesture": "g", "phase": "began"}"#),
            (.touch, #""gesture": "g", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "began"}]}"#),
            (.viewport, #""by": {"dx": 0.5}}"#), (.capture, #""zoom": {"factor": 5}}"#),
            (.desired, #""version": 1, "zoom": {"factor": 5}}"#), (.presets, #""go": "home"}"#),
            (.session, #""quality": "low", "zoom": {"factor": 5}}"#),
            (.lease, #""release": true}"#), (.lease, #""take": true}"#),
        ], [#""client": "phone", "#, ""])
    func othersAreRefused(command: (node: Node, members: String), client: String) {
        if command.members == #""take": true}"# && client.isEmpty { return }
        take()
        let before = camera.zoom
        let error = camera.refused(command.node, "{\(client)\(command.members)", .held)
        #expect(error["message"].text?.contains("desk") == true)
        camera.done(.zoom, #"{"stop": true, "client": "desk"}"#)
        #expect(camera.zoom["factor"] == before["factor"] && camera.zoom["viewport"] == before["viewport"])
        #expect(camera.bench.state(.pinch) == .null && camera.bench.state(.touch) == .null)
        #expect(camera.bench.state(.lease)["client"] == "desk")
    }

    // MARK: What is under way

    @Test(
        arguments: [
            (Node.zoom, #""factor": 5, "rate": 0.5}"#),
            (.zoom, #""move": {"velocity": 0.5, "timeout_ms": 2000}}"#),
            (.presets, #""go": "far", "rate": 0.5}"#),
            (.desired, #""version": 1, "zoom": {"factor": 5, "rate": 0.5}}"#),
            (.session, #""quality": "low", "zoom": {"factor": 5, "rate": 0.5}}"#),
            (.capture, #""zoom": {"factor": 5, "rate": 0.5}}"#),
        ], ["phone", "desk"])
    func theNewHolderEndsWhatOthersHaveUnderWay(command: (node: Node, members: String), client: String) {
        camera.done(.zoom, #"{"factor": 5}"#)
        camera.done(.presets, #"{"save": "far"}"#)
        camera.zoom(to: 2)
        let request = camera.send(command.node, #"{"client": "\#(client)", \#(command.members)"#)
        camera.bench.advance(by: .seconds(1))
        take()
        if client == "desk" {
            #expect(camera.result(request)["status"] == "done" && camera.zoom["factor"].number ?? 0 > 3)
            return
        }
        camera.bench.advance(by: ZoomBench.interval)
        #expect(request.statuses.last == .superseded)
        #expect(camera.zoom["ramping"] == false && isNear(camera.zoom["factor"].number, 2.9, within: 0.2))
        #expect(camera.zoom["origin"]["client"] == "desk")
    }

    @Test func theGestureOfAnotherClientEnds() {
        camera.done(.pinch, #"{"gesture": "g", "client": "phone", "phase": "began"}"#)
        camera.done(.pinch, #"{"gesture": "h", "client": "desk", "phase": "began"}"#)
        take()
        #expect(camera.bench.state(.pinch)["gesture"] == "h")
        take("phone")
        #expect(camera.bench.state(.pinch) == .null)
    }

    /// A capture that waits would move the zoom later.
    @Test func aWaitingCaptureWithAZoomEnds() {
        camera.send(.capture, #"{"client": "desk", "zoom": {"factor": 3, "rate": 0.5}}"#)
        let waiting = camera.send(.capture, #"{"client": "phone", "zoom": {"factor": 5}}"#)
        let without = camera.send(.capture, #"{"client": "phone"}"#)
        take()
        #expect(waiting.statuses.last == .superseded)
        #expect(camera.result(without)["status"] == "done")
    }

    @Test func itEndsWithTheAgent() {
        take()
        let next = ZoomBench(saved: camera.bench.saved)
        #expect(next.bench.states(.lease).last == .null)
        next.zoom(to: 3)
    }
}
