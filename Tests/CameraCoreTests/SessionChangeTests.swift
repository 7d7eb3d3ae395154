import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// `session` with controls and zoom: all of it or nothing.
struct SessionChangeTests {
    /// All that a command may change.
    struct Everything: Equatable {
        let mode: [JSONValue]
        let values: JSONValue
        let factor: JSONValue
        let viewport: JSONValue
        let saved: SavedSession?
        let controls: [String: ControlValue]

        init(_ bench: CameraBench) {
            let session = bench.state(.session)
            mode = ["quality", "width", "height", "fps"].map { session[$0] }
            values = bench.state(.controls)["values"]
            (factor, viewport) = (bench.state(.zoom)["factor"], bench.state(.zoom)["viewport"])
            (saved, controls) = (bench.saved.session, bench.saved.controls)
        }
    }

    private static let whole = #"""
        {"quality": "medium", "fps": 15, "zoom": {"factor": 4, "anchor": {"x": 0.2, "y": 0.5}},
         "controls": {"autofocus": false, "focus": 100, "brightness": 90, "color_effects": 1}}
        """#

    private func makeBench(_ fault: SimulatedFault = .none) -> CameraBench {
        let bench = CameraBench()
        bench.attach(simulated: .init(opticalMaximum: 2, fault: fault))
        return bench
    }

    @Test func allOfItChangesTogether() {
        let bench = makeBench()
        let reply = bench.outcome(of: .session, Self.whole)
        #expect(reply.last?.status == .done && reply.last?.session?.quality == "medium")
        #expect(reply.last?.session?.rate == 15)
        #expect(reply.last?.values?["focus"] == .number(100))
        #expect(bench.state(.controls)["values"]["brightness"] == 90)
        #expect(bench.state(.zoom)["factor"] == 4)
        #expect((bench.state(.zoom)["viewport"]["x"].number ?? 1) < 0.3)
        #expect(bench.state(.session)["width"] == 640)
    }

    @Test func aZoomThatRampsIsAcceptedFirst() {
        let bench = makeBench()
        let reply = bench.send(.session, #"{"quality": "low", "zoom": {"factor": 8, "rate": 1}}"#)
        #expect(reply.statuses == [.accepted])
        bench.advance(by: .milliseconds(3_100))
        #expect(reply.statuses == [.accepted, .done] && reply.last?.session?.quality == "low")
        #expect(bench.state(.zoom)["factor"] == 8 && bench.state(.session)["quality"] == "low")
    }

    @Test(arguments: [
        (#"{"autofocus": true, "focus": 50}"#, Refusal(.unavailable, "controls.focus")),
        (#"{"focus": 50}"#, Refusal(.unavailable, "controls.focus")),
        (#"{"brightness": 1, "nosuch": 1}"#, Refusal(.badPayload, "controls.nosuch")),
        (#"{"brightness": "bright"}"#, Refusal(.badPayload, "controls.brightness")),
        (
            #"{"color_effects": 1, "power_line_frequency": "often"}"#,
            Refusal(.badPayload, "controls.power_line_frequency")
        ),
        (#"{"color_effects": 1, "focus": 50}"#, Refusal(.unavailable, "controls.focus")),
    ])
    func aControlThatIsRefusedUndoesAllOfIt(controls: String, refusal: Refusal) {
        let bench = makeBench()
        bench.outcome(
            of: .session,
            #"{"quality": "hd1280x720", "fps": 15, "controls": {"brightness": 77}, "zoom": {"factor": 2}}"#)
        let before = Everything(bench)
        let reply = bench.outcome(
            of: .session,
            "{\"quality\": \"low\", \"fps\": 30, \"controls\": \(controls), \"zoom\": {\"factor\": 8}}")
        #expect(reply.refusal == refusal && Everything(bench) == before)
    }

    @Test(arguments: [
        #"{"brightness": 5, "color_effects": 3, "autofocus": false}"#,
        // What is enabled in the same change is undone, too.
        #"{"brightness": 5, "autofocus": false, "focus": 100}"#,
    ])
    func aLensThatRefusesUndoesAllOfIt(controls: String) throws {
        let bench = makeBench(.writeError)
        bench.outcome(
            of: .session,
            #"{"quality": "hd1280x720", "fps": 15, "controls": {"brightness": 77, "color_effects": 2}}"#)
        let before = Everything(bench)
        let reply = bench.outcome(
            of: .session, "{\"quality\": \"medium\", \"controls\": \(controls), \"zoom\": {\"factor\": 4}}")
        #expect(reply.refusal == Refusal(.device, "zoom"))
        #expect(
            reply.error?.message
                == "The camera refused: VIDIOC_S_EXT_CTRLS: Input/output error (simulated). Nothing was changed."
        )
        #expect(Everything(bench) == before)
        // Nor does a restart restore what was refused.
        let next = CameraBench(boot: 2, saved: try #require(bench.savedState))
        next.attach(simulated: .init(opticalMaximum: 2))
        #expect(next.state(.session)["quality"] == "hd1280x720")
        #expect(next.state(.controls)["values"] == before.values)
    }

    @Test func aModeThatTheDeviceRefusesChangesNothing() {
        let bench = makeBench(.modeError)
        bench.outcome(of: .controls, #"{"brightness": 77}"#)
        let before = Everything(bench)
        #expect(bench.outcome(of: .session, Self.whole).refusal == Refusal(.device))
        #expect(Everything(bench) == before)
    }

    @Test func anUndoThatFailsIsPublishedAsItIs() {
        let bench = CameraBench()
        let device = bench.attach()
        device.held = [.mode]
        let reply = bench.send(.session, #"{"quality": "32x18", "controls": {"focus": 50}}"#)
        device.release(.mode)
        #expect(reply.answers.isEmpty, "the mode before is being set")
        device.fail(.mode, with: .device("Device or resource busy"))
        #expect(reply.refusal == Refusal(.unavailable, "controls.focus"))
        #expect(
            reply.error?.message
                == "focus can't be set at the moment: autofocus is on. The mode before can't be restored: The camera refused: Device or resource busy"
        )
        #expect(bench.state(.session)["width"] == 32)
        // The saved values are those of an earlier command.
        #expect(bench.saved.session == nil)
    }

    @Test func aNewerZoomSupersedesTheZoomOnly() {
        let bench = makeBench()
        let reply = bench.send(.session, #"{"quality": "low", "zoom": {"factor": 8, "rate": 0.05}}"#)
        bench.advance(by: .seconds(1))
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        #expect(reply.statuses == [.accepted, .superseded])
        #expect(bench.state(.session)["quality"] == "low" && bench.state(.zoom)["factor"] == 2)
        #expect(bench.outcome(of: .session, "medium").last?.status == .done)
    }

    @Test func aZoomBeforeTheControlsAreSetSupersedesTheZoomOnly() {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 4)
        device.held = [.controls]
        let reply = bench.send(
            .session, #"{"quality": "32x18", "controls": {"brightness": 9}, "zoom": {"factor": 4}}"#)
        bench.outcome(of: .zoom, #"{"factor": 2}"#)
        device.release(.controls)
        #expect(reply.statuses == [.superseded] && bench.state(.zoom)["factor"] == 2)
        #expect(bench.state(.controls)["values"]["brightness"] == 9 && bench.state(.session)["width"] == 32)
    }

    @Test func thereIsOneChangeAtATime() {
        let bench = makeBench()
        let reply = bench.send(.session, #"{"quality": "low", "zoom": {"factor": 8, "rate": 0.05}}"#)
        #expect(bench.send(.session, "medium").refusal == Refusal(.busy))
        bench.outcome(of: .zoom, #"{"stop": true}"#)
        #expect(reply.statuses == [.accepted, .superseded])
        #expect(bench.send(.session, "medium").statuses == [.done])
    }

    @Test func aZoomWithinASessionNeedsTheLease() {
        let bench = makeBench()
        bench.outcome(of: .lease, #"{"take": true, "client": "desk"}"#)
        let before = Everything(bench)
        let refused = bench.outcome(
            of: .session, #"{"quality": "low", "zoom": {"factor": 2}, "client": "phone"}"#)
        #expect(refused.refusal?.code == .held && Everything(bench) == before)
        #expect(bench.outcome(of: .session, #"{"quality": "low", "client": "phone"}"#).last?.status == .done)
        let holders = bench.outcome(of: .session, #"{"zoom": {"factor": 2}, "client": "desk"}"#)
        #expect(holders.last?.status == .done)
    }

    // MARK: Devices that go meanwhile

    @Test(arguments: [ScriptedCamera.Operation.mode, .controls, .lens], [true, false])
    func aDeviceThatGoesFailsTheChange(at step: ScriptedCamera.Operation, isReplaced: Bool) {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 4)
        device.held = [step]
        let reply = bench.send(
            .session, #"{"quality": "32x18", "controls": {"brightness": 9}, "zoom": {"factor": 4}}"#)
        #expect(device.pendingCalls(of: step) == 1)
        if isReplaced { bench.source.attach(ScriptedCamera(on: bench.loop)) } else { device.unplug() }
        #expect(reply.refusal?.code == .unavailable)
        bench.attach(opticalMax: 4)
        bench.advance(by: .seconds(20))
        #expect(reply.answers.count(where: \.isFinal) == 1)
        // A command that failed isn't restored later.
        #expect(bench.state(.session)["width"] == 64)
        #expect(bench.send(.session, "32x18").statuses == [.done])
    }

    @Test func aStopFailsTheChange() {
        let bench = CameraBench()
        let device = bench.attach()
        device.held = [.mode]
        let reply = bench.send(.session, "32x18")
        bench.stop()
        device.release(.mode)
        #expect(reply.refusal == Refusal(.unavailable) && reply.answers.count == 1)
    }
}
