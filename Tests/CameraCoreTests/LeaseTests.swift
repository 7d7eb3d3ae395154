import Core
import Settings
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// The right of one client to move the zoom alone, for a limited time.
struct LeaseTests {
    let camera = ZoomBench()

    init() { camera.zoom(to: 2) }

    /// Takes the lease, and returns its state. `other` are further JSON members, with a comma before each.
    @discardableResult func take(
        _ client: String = "desk", milliseconds: Int = 60_000, _ other: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> JSONValue {
        camera.done(
            .lease, #"{"take": true, "client": "\#(client)", "ttl_ms": \#(milliseconds)\#(other)}"#,
            sourceLocation: sourceLocation)
        return camera.bench.state(.lease)
    }

    @Test func itsStateNamesTheHolderAndTheEnd() {
        let end = camera.timestamp(after: .seconds(30))
        let state = take(milliseconds: 30_000)
        #expect(state["client"] == "desk" && state["until"] == .text(end))
        camera.done(.lease, #"{"release": true, "client": "desk"}"#)
        #expect(camera.bench.states(.lease).last == .null)
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

    @Test func itsHolderMovesTheZoomAndOthersDoTheRest() {
        take()
        #expect(camera.done(.zoom, #"{"factor": 3, "client": "desk"}"#)["factor"] == 3)
        camera.done(.controls, #"{"brightness": 100, "client": "phone"}"#)
        camera.done(.desired, #"{"version": 1, "controls": {"brightness": 90}, "client": "phone"}"#)
        camera.done(.presets, #"{"save": "here", "client": "phone"}"#)
        let photo = camera.done(.capture, #"{"size": {"width": 64}, "client": "phone"}"#)
        #expect(photo["photos"].list.count == 1)
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
        take("phone", milliseconds: 60_000, #", "force": true"#)
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

    /// A renewal is no change of hands, and neither is what the agent or a hand does.
    @Test func aRenewalEndsNothing() {
        take()
        let ramp = camera.send(.zoom, #"{"factor": 5, "rate": 0.5, "client": "desk"}"#)
        take()
        #expect(camera.result(ramp)["status"] == "done" && camera.zoom["factor"] == 5)
    }

    @Test func afterAReleaseEveryClientMovesTheZoom() {
        take()
        camera.done(.lease, #"{"release": true, "client": "desk"}"#)
        #expect(camera.done(.zoom, #"{"factor": 4, "client": "phone"}"#)["factor"] == 4)
        camera.done(.lease, #"{"release": true, "client": "desk"}"#)
    }

    @Test func itExpiresAndThatIsPublished() {
        take(milliseconds: 200)
        camera.bench.advance(by: .milliseconds(170))
        #expect(camera.bench.state(.lease)["client"] == "desk")
        camera.bench.advance(by: .milliseconds(30))
        #expect(camera.bench.states(.lease).last == .null)
        #expect(camera.done(.zoom, #"{"factor": 4, "client": "phone"}"#)["factor"] == 4)
    }

    @Test func itsHolderRenewsIt() throws {
        let first = take(milliseconds: 200)
        let second = take(milliseconds: 60_000)
        #expect(try #require(second["until"].text) > #require(first["until"].text))
        let states = camera.bench.states(.lease).count
        camera.bench.advance(by: .seconds(1))
        #expect(camera.bench.states(.lease).count == states, "the first end isn't published")
        take(milliseconds: 300)
        camera.bench.advance(by: .milliseconds(300))
        #expect(camera.bench.states(.lease).last == .null)
    }

    @Test func aTakeOverByForceIsAnEvent() throws {
        take()
        #expect(take("guard", #", "force": true, "id": "f-1""#)["client"] == "guard")
        let event = try #require(camera.bench.events(.takeOver).first)
        #expect(event.client == "guard" && event.holder == "desk" && event.id == "f-1")
        camera.refused(.zoom, #"{"factor": 5, "client": "desk"}"#, .held)
    }

    @Test func forceWithoutAnotherHolderIsNoTakeOver() {
        take("desk", #", "force": true"#)
        take("desk", #", "force": true"#)
        #expect(camera.bench.events(.takeOver).isEmpty)
    }

    @Test func aGestureOfAnotherClientEndsDuringALease() {
        let touch = TouchSteps(camera: camera, fields: #""client": "phone", "#)
        touch.step((0, "began", 0.4, 0.5), (1, "began", 0.6, 0.5))
        take()
        camera.refused(.touch, touch.command([(1, "moved", 0.9, 0.5)]), .held)
        #expect(camera.zoom["factor"] == 2 && camera.bench.states(.touch).last == .null)
    }

    @Test func itEndsWithTheAgent() {
        take()
        let next = ZoomBench(saved: camera.bench.saved)
        #expect(next.bench.states(.lease).last == .null)
        next.zoom(to: 3)
    }

    /// The lease is the camera's, not the device's.
    @Test func itOutlivesTheDevice() {
        take()
        camera.bench.source.detach(.unplugged)
        #expect(camera.bench.state(.lease)["client"] == "desk")
        camera.bench.attach(opticalMax: 2)
        camera.refused(.zoom, #"{"factor": 5, "client": "phone"}"#, .held)
    }
}
