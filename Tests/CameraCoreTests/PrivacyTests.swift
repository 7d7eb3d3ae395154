import Core
import TestSupport
import Testing
import ZoomModel

@testable import Cameras
@testable import Contract
@testable import Settings

/// The switch of the privacy: what ends, what is refused, what waits, and how the camera comes back.
struct PrivacyTests {
    let bench = CameraBench()

    private var privacy: JSONValue { bench.state(.privacy) }

    // MARK: The state

    @Test func theStateSaysWhoSwitchedAndWhen() {
        bench.attach()
        #expect(privacy["state"] == "OFF" && privacy["client"] == nil && privacy["since"] == nil)
        #expect(privacy["origin"] == ["kind": "restore"])
        bench.advance(by: .seconds(3))
        let reply = bench.send(.privacy, #"{"state": "ON", "client": "phone", "id": "1"}"#)
        #expect(reply.statuses == [.done] && reply.lastMessage["id"] == "1")
        #expect(privacy["state"] == "ON" && privacy["client"] == "phone" && privacy["proved"] == false)
        #expect(privacy["since"] == CameraBench.timestamp(at: .seconds(3)))
        #expect(privacy["origin"] == ["kind": "command", "client": "phone", "proved": false, "id": "1"])
        #expect(privacy["rev"] == .number(Double(bench.camera.context.rev)))
    }

    @Test(arguments: ["ON", "on", "true", #""ON""#, #"{"state": "ON"}"#])
    func eachFormOfTheCommandIsTaken(payload: String) {
        bench.attach()
        #expect(bench.send(.privacy, payload).statuses == [.done] && privacy["state"] == "ON")
    }

    @Test func aRepetitionChangesNothing() {
        bench.attach()
        bench.send(.privacy, #"{"state": "ON", "client": "phone"}"#)
        let count = bench.states(.privacy).count
        #expect(bench.send(.privacy, #"{"state": "ON", "client": "desk"}"#).statuses == [.done])
        #expect(bench.states(.privacy).count == count && privacy["client"] == "phone")
        bench.send(.privacy, "OFF")
        #expect(bench.send(.privacy, "OFF").statuses == [.done] && privacy["state"] == "OFF")
    }

    @Test func theCameraStaysOnlineAndItsControlsCantBeSet() {
        bench.attach()
        bench.send(.privacy, "ON")
        #expect(bench.availability["state"] == "online" && bench.availability["reason"] == "private")
        let controls = bench.frontEnd.state(on: .info)["controls"].list
        #expect(!controls.isEmpty && controls.allSatisfy { $0["enabled"] == false })
        #expect(controls.allSatisfy { $0["reason"] == "the camera is private" })
        bench.send(.privacy, "OFF")
        #expect(bench.availability["state"] == "online" && bench.availability["reason"] == nil)
        #expect(bench.frontEnd.state(on: .info)["controls"][0]["enabled"] == true)
    }

    // MARK: What ends

    @Test func theDeviceIsClosed() {
        let device = bench.attach()
        bench.send(.privacy, "ON")
        #expect(device.isClosed && bench.source.closes == 1 && bench.camera.presence == .private)
    }

    @Test(arguments: RefusalTests.commands.filter { $0.0 != .desired })
    func whatNeedsTheDeviceIsRefused(node: Node, members: String) {
        bench.attach()
        bench.send(.privacy, "ON")
        #expect(bench.send(node, "{\(members)}").refusal == Refusal(.private))
    }

    @Test func whatNeedsNoDeviceIsDone() {
        bench.attach()
        bench.send(.presets, #"{"save": "gate"}"#)
        bench.send(.privacy, "ON")
        for (node, command) in [
            (Node.lease, #"{"take": true, "client": "desk"}"#), (.recording, "OFF"), (.preview, "OFF"),
            (.presets, #"{"delete": "gate"}"#),
        ] { #expect(bench.send(node, command).statuses == [.done], "\(node)") }
    }

    @Test func previewsEndAndTheirLeasesDontComeBack() {
        bench.attach()
        bench.send(.preview, #"{"fps": 20, "seconds": 600, "client": "phone"}"#)
        bench.send(.preview, #"{"fps": 5, "seconds": 600, "client": "desk"}"#)
        bench.advance(by: .seconds(1))
        bench.media.held = [.preview]
        bench.advance(by: .seconds(1))
        #expect(bench.media.pendingCalls(of: .preview) == 1)
        let frames = bench.frontEnd.frames.count
        bench.send(.privacy, "ON")
        #expect(bench.state(.preview) == nil && bench.media.previewing.isEmpty)
        bench.media.held = []
        bench.media.release(.preview)
        bench.send(.privacy, "OFF")
        bench.advance(by: .seconds(2))
        #expect(bench.frontEnd.frames.count == frames && frames > 10)
        #expect(bench.state(.preview) == nil)
    }

    @Test func theStandingPreviewEndsAndComesBack() {
        let bench = CameraBench(standingPreviewRate: 5)
        bench.attach()
        bench.advance(by: .seconds(1))
        bench.send(.privacy, "ON")
        let frames = bench.frontEnd.frames.count
        #expect(bench.send(.preview, "OFF").statuses == [.done])
        bench.advance(by: .seconds(7_200))
        #expect(frames > 3 && bench.frontEnd.frames.count == frames)
        #expect(bench.state(.preview) == nil)
        bench.send(.privacy, "OFF")
        bench.advance(by: .seconds(1))
        #expect(bench.state(.preview)["live"] == true)
    }

    /// The state follows the end of the recording, and the answer follows the state.
    @Test func theStateWaitsUntilTheRecordingHasEnded() throws {
        bench.attach()
        bench.startRecording()
        bench.advance(by: .seconds(2))
        bench.media.held = [.recordingEnd]
        let reply = bench.send(.privacy, "ON")
        bench.advance(by: .seconds(5))
        #expect(reply.statuses == [.accepted] && privacy["state"] == "OFF")
        #expect(bench.device == nil && bench.state(.recording)["state"] == "finishing")
        #expect(bench.send(.zoom, "2").refusal == Refusal(.private), "the switch is under way")
        bench.media.held = []
        bench.media.release(.recordingEnd)
        #expect(reply.statuses == [.accepted, .done] && privacy["state"] == "ON")
        let event = try #require(bench.events(.recordingFinished).last)
        #expect(event.recording?.reason == .privacy && event.recording?.path != nil)
        let kinds = bench.frontEnd.messages.map(\.kind)
        let finished = try #require(kinds.lastIndex(of: .event))
        #expect(finished < (kinds.lastIndex(of: .state(.node(.privacy))) ?? 0))
    }

    @Test func aRecordingWithoutAFrameIsRefused() {
        bench.attach().held = [.frame]
        let start = bench.send(.recording, "ON")
        let reply = bench.send(.privacy, "ON")
        #expect(start.refusal == Refusal(.private))
        bench.turn()
        #expect(reply.final?.status == .done && bench.state(.recording)["state"] == "idle")
    }

    @Test(arguments: [ScriptedMedia.Operation.encode, .store])
    func aPhotoUnderWayIsRefusedAndNotPublished(step: ScriptedMedia.Operation) {
        bench.attach()
        bench.media.held = [step]
        let photo = bench.send(.capture, #"{"count": 3}"#)
        let waiting = bench.send(.capture)
        bench.advance(by: .milliseconds(100))
        #expect(bench.media.pendingCalls(of: step) == 1)
        let reply = bench.send(.privacy, "ON")
        #expect(photo.refusal == Refusal(.private) && waiting.refusal == Refusal(.private))
        bench.media.held = []
        bench.media.release(step)
        bench.advance(by: .seconds(1))
        #expect(bench.frontEnd.photos.isEmpty && bench.events(.shutter).isEmpty)
        #expect(reply.statuses == [.done] && bench.state(.capture)["pending"] == 0)
    }

    /// The photo that is being stored is deleted first.
    @Test func theStateWaitsUntilNoPhotoIsStored() {
        bench.attach()
        bench.media.held = [.store, .discard]
        bench.send(.capture)
        bench.advance(by: .milliseconds(100))
        let reply = bench.send(.privacy, "ON")
        bench.advance(by: .seconds(1))
        #expect(reply.statuses == [.accepted] && privacy["state"] == "OFF")
        bench.media.release(.discard)
        #expect(reply.statuses == [.accepted, .done] && privacy["state"] == "ON")
    }

    @Test func picturesAreWithdrawnBeforeTheState() {
        bench.attach()
        bench.photo()
        bench.send(.privacy, "ON")
        let kinds = bench.frontEnd.messages.map(\.kind)
        let withdrawal = kinds.lastIndex(of: .withdrawal) ?? .max
        #expect((kinds.lastIndex(of: .photo) ?? .max) < withdrawal)
        #expect(withdrawal < (kinds.lastIndex(of: .state(.node(.privacy))) ?? -1))
    }

    @Test func aButtonThatIsHeldIsRefused() {
        bench.attach()
        bench.media.held = [.measure]
        let press = bench.send(.capture, #"{"phase": "began", "client": "phone"}"#)
        bench.advance(by: .milliseconds(100))
        #expect(press.statuses == [.accepted])
        bench.send(.privacy, "ON")
        #expect(press.refusal == Refusal(.private) && bench.state(.capture)["pressed"] == [])
        let release = #"{"phase": "ended", "client": "phone"}"#
        #expect(bench.send(.capture, release).refusal == Refusal(.private))
        bench.send(.privacy, "OFF")
        #expect(bench.send(.capture, release).refusal == Refusal(.private), "the press had no effect")
        #expect(bench.frontEnd.photos.isEmpty)
    }

    /// The lens would go on moving without the device being open.
    @Test func aLensOnItsWayIsStoppedFirst() {
        let device = bench.attach(opticalMax: 4)
        let zoom = bench.send(.zoom, #"{"factor": 4, "rate": 0.5}"#)
        bench.advance(by: .seconds(1))
        device.held = [.stop]
        let reply = bench.send(.privacy, "ON")
        #expect(zoom.refusal == Refusal(.private) && reply.statuses == [.accepted] && !device.isClosed)
        #expect(device.calls.last == .stopLens)
        device.release(.stop)
        #expect(device.isClosed && reply.statuses == [.accepted, .done])
    }

    @Test func aDeviceThatDoesntAnswerIsClosedAfterASecond() {
        let device = bench.attach(opticalMax: 4)
        bench.send(.zoom, #"{"factor": 4, "rate": 0.5}"#)
        bench.advance(by: .milliseconds(500))
        device.held = [.stop]
        let reply = bench.send(.privacy, "ON")
        bench.advance(by: .milliseconds(1_001))
        #expect(device.isClosed && reply.statuses == [.accepted, .done] && privacy["state"] == "ON")
    }

    // MARK: Coming back

    @Test func theDeviceIsOpenedAndRestored() {
        bench.attach(opticalMax: 4)
        bench.outcome(of: .zoom, "3")
        bench.outcome(of: .controls, #"{"brightness": 7}"#)
        bench.send(.privacy, "ON")
        bench.advance(by: .seconds(60))
        let reply = bench.send(.privacy, #"{"state": "OFF", "client": "desk"}"#)
        #expect(reply.statuses == [.accepted, .done] && privacy["state"] == "OFF")
        #expect(privacy["client"] == "desk" && bench.camera.presence == .ready)
        #expect(bench.state(.zoom)["factor"] == 3 && bench.device?.description.optical == 3)
        #expect(bench.state(.controls)["values"]["brightness"] == 7)
        #expect(bench.send(.zoom, "2").final?.status == .done)
        bench.photo()
    }

    @Test func theZoomOfARampIsKept() {
        bench.attach()
        bench.send(.zoom, #"{"factor": 8, "rate": 1}"#)
        bench.advance(by: .seconds(1))
        bench.send(.privacy, "ON")
        bench.send(.privacy, "OFF")
        bench.advance(by: .seconds(1))
        #expect(isNear(bench.state(.zoom)["factor"].number, 2, within: 0.1))
    }

    @Test func desiredWaits() {
        bench.attach()
        bench.send(.privacy, "ON")
        let reply = bench.send(.desired, #"{"version": 1, "controls": {"brightness": 9}}"#)
        #expect(reply.statuses == [.accepted] && bench.state(.desired)["outcome"] == "applying")
        bench.send(.privacy, "OFF")
        #expect(reply.statuses == [.accepted, .done] && bench.state(.desired)["outcome"] == "applied")
        #expect(bench.state(.controls)["values"]["brightness"] == 9)
    }

    @Test func desiredThatIsBeingAppliedWaitsToo() {
        bench.attach().held = [.controls]
        let reply = bench.send(.desired, #"{"version": 1, "controls": {"brightness": 9}}"#)
        bench.send(.privacy, "ON")
        #expect(!reply.isFinished && bench.state(.desired)["outcome"] == "applying")
        bench.send(.privacy, "OFF")
        #expect(reply.final?.status == .done)
    }

    @Test func aCommandIsSupersededByItsOpposite() {
        bench.attach()
        bench.startRecording()
        bench.media.held = [.recordingEnd]
        let on = bench.send(.privacy, "ON")
        let again = bench.send(.privacy, "ON")
        let off = bench.send(.privacy, "OFF")
        #expect(on.statuses == [.accepted, .superseded] && again.statuses == [.accepted, .superseded])
        #expect(off.statuses == [.accepted, .done] && bench.camera.presence == .ready)
        bench.media.held = []
        while bench.media.release(.recordingEnd) {}
        bench.turn()
        #expect(privacy["state"] == "OFF" && bench.send(.zoom, "2").final?.status == .done)
    }

    @Test func theOpeningOfADeviceIsSupersededToo() {
        let bench = CameraBench(saved: PrivacyRestartTests.savedOn)
        let off = bench.send(.privacy, "OFF")
        #expect(off.statuses == [.accepted], "the source searches")
        let on = bench.send(.privacy, "ON")
        #expect(off.statuses == [.accepted, .superseded] && on.final?.status == .done)
        bench.attach()
        #expect(bench.camera.presence == .private && bench.device?.calls.isEmpty == true)
    }

    // MARK: Without a device

    @Test func aCameraWithoutADeviceIsMadePrivate() {
        bench.source.detach(.notFound)
        #expect(bench.send(.privacy, "ON").statuses == [.done])
        #expect(privacy["state"] == "ON" && bench.availability["state"] == "online")
        let device = bench.attach()
        #expect(device.calls.isEmpty && bench.camera.presence == .private)
        let reply = bench.send(.privacy, "OFF")
        #expect(reply.final?.status == .done && bench.camera.presence == .ready)
    }

    @Test func withoutADeviceOffIsDoneToo() {
        bench.attach()
        bench.send(.privacy, "ON")
        bench.source.reopens = { nil }
        #expect(bench.send(.privacy, "OFF").final?.status == .done)
        #expect(bench.availability["state"] == "offline" && bench.availability["reason"] == "not_found")
    }

    /// The lens is being stopped when the device goes.
    @Test func aDeviceThatLeavesMeanwhileIsNotWaitedFor() {
        let device = bench.attach(opticalMax: 4)
        bench.send(.zoom, #"{"factor": 4, "rate": 0.5}"#)
        bench.advance(by: .milliseconds(500))
        device.held = [.stop]
        let reply = bench.send(.privacy, "ON")
        device.unplug()
        #expect(reply.final?.status == .done && bench.availability["state"] == "online")
    }

    // MARK: Who may

    @Test func anotherClientsLeaseForbidsNothing() {
        bench.attach()
        bench.send(.lease, #"{"take": true, "client": "desk"}"#)
        #expect(bench.send(.privacy, #"{"state": "ON", "client": "phone"}"#).statuses == [.done])
    }

    @Test func onlyTheClientsOfTheListMaySwitchOff() {
        let bench = CameraBench(CameraSettings(privacy: PrivacySettings(off: ["owner"])))
        bench.attach()
        #expect(bench.send(.privacy, #"{"state": "ON", "client": "guest"}"#).statuses == [.done])
        for command in [#"{"state": "OFF", "client": "guest"}"#, #"{"state": "OFF"}"#, "OFF"] {
            #expect(bench.send(.privacy, command).refusal == Refusal(.forbidden))
        }
        let claim = bench.send(.privacy, #"{"state": "OFF", "client": "owner"}"#)
        #expect(claim.refusal == Refusal(.forbidden), "anyone can give itself the name")
        #expect(switchOff(bench, ClientIdentity(account: "guest")).refusal == Refusal(.forbidden))
        #expect(bench.state(.privacy)["state"] == "ON")
        #expect(switchOff(bench, ClientIdentity(account: "owner")).final?.status == .done)
        #expect(bench.camera.presence == .ready && bench.state(.privacy)["proved"] == true)
    }

    /// Sends a command as a client on the topic of its account does.
    private func switchOff(_ bench: CameraBench, _ client: ClientIdentity) -> CollectingReplyAddress {
        let address = CollectingReplyAddress(.privacy, camera: bench.camera.id)
        bench.camera.handle(
            Request(
                camera: bench.camera.id, node: .privacy, envelope: Envelope(client: client),
                command: PrivacyCommand(isOn: false), address: address))
        return address
    }

    @Test func aStateThatIsntStoredIsAnnounced() {
        bench.attach()
        bench.storage.error = CommandError(.storageFull, "scripted")
        let reply = bench.send(.privacy, "ON")
        #expect(reply.lastMessage["status"] == "done" && reply.lastMessage["persisted"] == false)
        #expect(privacy["state"] == "ON")
    }
}
