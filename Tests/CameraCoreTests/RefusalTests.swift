import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// The error codes that the core decides, each provoked at zoom 2: a refused command moves nothing.
struct RefusalTests {
    let camera = ZoomBench()

    init() { camera.zoom(to: 2) }

    /// A command of each node, without the braces. The `ttl_ms` of a lease is the lease's own.
    static let commands: [(Node, String)] = [
        (.zoom, #""factor": 5"#), (.pinch, #""gesture": "g", "phase": "began""#),
        (.capture, #""size": {"width": 64}"#), (.controls, #""brightness": 1"#),
        (.viewport, #""by": {"dx": 1}"#), (.desired, #""version": 1, "zoom": {"factor": 5}"#),
        (.touch, #""gesture": "g", "touches": [{"id": 0, "x": 0.5, "y": 0.5, "phase": "began"}]"#),
        (.presets, #""save": "here""#), (.session, #""quality": "low""#), (.recording, #""on": true"#),
        (.preview, #""fps": 5"#),
    ]

    var isUnmoved: Bool { camera.zoom["factor"] == 2 && camera.zoom["target"] == 2 }

    @Test func aRefusalIsAnsweredAndIsAnEvent() throws {
        let error = camera.refused(
            .zoom, #"{"factor": "wide", "id": "r-1", "client": "tablet"}"#, .badPayload, field: "factor")
        #expect(try #require(error["message"].text).count > 10)
        let event = try #require(camera.bench.events(.refused).last)
        #expect(event.node == "zoom" && event.id == "r-1" && event.client == "tablet")
        #expect(event.error?.message == error["message"].text && event.error?.field == "factor")
        #expect(camera.bench.events().count == 1 && isUnmoved)
    }

    @Test func aControlThatAnotherOneDrivesIsUnavailable() {
        camera.done(.controls, #"{"autofocus": true}"#)
        camera.refused(.controls, #"{"focus": 100}"#, .unavailable, field: "focus")
    }

    @Test(arguments: [
        (#"{"brightness": 10, "focus": 100}"#, CommandError.Code.unavailable, "focus"),
        (#"{"brightness": 10, "sharpness": 3}"#, .badPayload, "sharpness"),
    ])
    func allControlsAreSetOrNone(command: String, code: CommandError.Code, field: String) {
        camera.done(.controls, #"{"autofocus": true, "brightness": 90}"#)
        camera.refused(.controls, command, code, field: field)
        camera.bench.advance(by: .seconds(1))
        #expect(camera.bench.state(.controls)["values"]["brightness"] == 90)
    }

    @Test(arguments: commands)
    func anExpiredCommandIsStale(node: Node, members: String) {
        let before = camera.bench.states(node).count
        let sent = camera.timestamp(after: .seconds(-60))
        camera.refused(node, #"{\#(members), "ts": "\#(sent)", "ttl_ms": 1000}"#, .stale)
        #expect(isUnmoved && camera.bench.states(node).count == before)
    }

    @Test(arguments: [
        (1.0, #", "ttl_ms": 600000"#), (0.999, #", "ttl_ms": 1000"#), (3_600, ""),
    ])
    func aCommandThatIsYoungEnoughIsCarriedOut(age: Double, ttl: String) {
        let sent = camera.timestamp(after: .seconds(-age))
        #expect(camera.done(.zoom, #"{"factor": 3, "ts": "\#(sent)"\#(ttl)}"#)["factor"] == 3)
    }

    @Test(arguments: commands) func aCommandForAnotherRevIsAConflict(node: Node, members: String) {
        let before = camera.bench.states(node).count
        camera.refused(node, #"{\#(members), "if_rev": 1000}"#, .conflict, field: "if_rev")
        #expect(isUnmoved && camera.bench.states(node).count == before)
    }

    @Test func aConflictComesWithThePresentState() throws {
        camera.done(.zoom, #"{"factor": 2, "client": "no change"}"#)
        let rev = Int(try #require(camera.zoom["rev"].number))
        let answer = camera.result(camera.send(.zoom, #"{"factor": 5, "if_rev": \#(rev + 7)}"#))
        #expect(answer["error"]["code"] == "conflict" && answer["error"]["field"] == "if_rev")
        #expect(answer["state"]["rev"] == camera.zoom["rev"] && answer["state"]["factor"] == 2)
        #expect(answer["state"]["origin"] == camera.zoom["origin"])
        #expect(isUnmoved)
        let next = camera.done(.zoom, #"{"factor": 3, "if_rev": \#(rev)}"#)
        #expect(next["rev"] == .number(Double(rev + 1)))
        camera.refused(.zoom, #"{"factor": 5, "if_rev": \#(rev)}"#, .conflict)
    }

    @Test func aCommandHasAtMost16KiB() {
        let command = #"{"factor": 2}"#
        let padding = { String(repeating: " ", count: $0 - command.utf8.count) }
        camera.refused(.zoom, command + padding(16_385), .tooLarge)
        #expect(camera.done(.zoom, command + padding(16_384))["factor"] == 2)
    }

    /// One capture waits until the zoom is at rest, 16 wait behind it.
    @Test func moreThanSixteenWaitingCapturesAreRefused() {
        camera.send(.zoom, #"{"factor": 8, "rate": 0.01}"#)
        let waiting = (1...17).map { _ in camera.send(.capture, #"{"size": {"width": 64}}"#) }
        #expect(waiting.allSatisfy { $0.statuses == [.accepted] })
        camera.refused(.capture, #"{"size": {"width": 64}}"#, .busy)
        camera.done(.zoom, #"{"stop": true}"#)
        for capture in waiting { #expect(camera.result(capture)["status"] == "done") }
    }

    @Test(arguments: [
        (SimulatedFault.writeError, Node.zoom, #"{"factor": 5}"#),
        (.frameError, .capture, #"{"size": {"width": 64}}"#),
    ])
    func aFailingDeviceIsReported(fault: SimulatedFault, node: Node, command: String) {
        let camera = ZoomBench(.init(opticalMaximum: 2, width: 64, height: 36, fault: fault))
        let before = camera.zoom["factor"]
        camera.refused(node, command, .device)
        #expect(before == 1 && camera.zoom["factor"] == before && camera.zoom["target"] == before)
    }

    @Test(arguments: [
        (Node.zoom, "2"), (.pinch, #"{"gesture": "g", "phase": "began"}"#), (.capture, "{}"),
        (.controls, #"{"brightness": 1}"#), (.viewport, #"{"by": {"dx": 1}}"#), (.presets, #"{"save": "a"}"#),
        (.session, #"{"quality": "low"}"#), (.recording, "ON"),
    ])
    func withoutItsDeviceACameraIsUnavailable(node: Node, command: String) {
        camera.bench.source.detach(.unplugged)
        let error = camera.refused(node, command, .unavailable)
        #expect(error["message"].text?.contains("unplugged") == true)
    }
}
