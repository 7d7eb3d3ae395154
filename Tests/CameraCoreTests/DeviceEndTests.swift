import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// What is under way when a device leaves, is replaced, or the agent stops.
struct DeviceEndTests {
    @Test func aWaitingCaptureDoesntMoveTheZoomOfADeviceThatLeaves() {
        let bench = CameraBench()
        bench.attach(opticalMax: 4).held = [.frame]
        let first = bench.send(.capture, #"{"zoom": {"factor": 2}}"#)
        let second = bench.send(.capture, #"{"zoom": {"factor": 8, "rate": 4}}"#)
        let states = bench.states(.zoom).count
        // The source closes the device before it reports that it is gone.
        bench.source.detach(.replaced)
        #expect(first.error?.code == .unavailable && second.error?.code == .unavailable)
        #expect(bench.states(.zoom).count == states)
    }

    /// The answer of a request that a device held makes the source report the next device.
    @Test func aDeviceThatIsFoundWhileAnotherOneIsReleasedIsReady() {
        let bench = CameraBench()
        let first = ScriptedCamera(description: .scripted(opticalMax: 4), on: bench.loop)
        bench.source.attach(first)
        #expect(bench.send(.zoom, "3").final?.status == .done)
        first.held = [.controls]
        let reply = bench.send(.controls, #"{"brightness": 1}"#)
        var second: ScriptedCamera?
        reply.answered = { [unowned bench] _ in second = bench.attach(opticalMax: 4) }
        bench.source.detach(.notFound)
        #expect(reply.error?.code == .unavailable)
        #expect(bench.camera.presence == .ready && bench.availability["state"] == "online")
        #expect(second?.description.optical == 3 && bench.state(.zoom)["optical"] == 3)
        #expect(bench.send(.zoom, "2").final?.status == .done)
        #expect(second?.description.optical == 2)
    }

    @Test func aDeviceThatIsFoundDuringAnAnswerOfTheZoomIsRestored() {
        let bench = CameraBench()
        let first = bench.attach(opticalMax: 4)
        first.held = [.lens]
        let reply = bench.send(.zoom, "3")
        var second: ScriptedCamera?
        reply.answered = { [unowned bench, unowned reply] _ in
            guard reply.isFinished, second == nil else { return }
            first.unplug()
            second = bench.attach(opticalMax: 4)
        }
        first.release(.lens)
        #expect(reply.statuses == [.accepted, .done])
        #expect(bench.camera.presence == .ready, "nothing has to be waited for")
        #expect(second?.description.optical == 3 && bench.state(.zoom)["optical"] == 3)
    }

    @Test func aVersionThatIsBeingAppliedWaitsForTheNextDevice() {
        let bench = CameraBench()
        bench.attach().held = [.mode]
        let reply = bench.send(.desired, #"{"version": 1, "session": {"quality": "32x18"}}"#)
        bench.source.detach(.replaced)
        #expect(!reply.isFinished)
        bench.attach()
        #expect(reply.statuses.last == .done && bench.state(.session)["width"] == 32)
    }

    @Test func aRepeatedVersionGetsTheOutcomeOfTheFirst() {
        let bench = CameraBench()
        let replies = (0..<2).map { bench.send(.desired, #"{"version": 3, "id": "\#($0)"}"#) }
        bench.attach()
        #expect(replies.map(\.statuses) == [[.accepted, .done], [.accepted, .done]])
    }

    @Test func repetitionsThatWaitAreLimited() {
        let bench = CameraBench()
        let replies = (0..<20).map { bench.send(.desired, #"{"version": 3, "id": "\#($0)"}"#) }
        #expect(replies.map(\.error?.code) == Array(repeating: nil, count: 17) + [.busy, .busy, .busy])
    }

    @Test func theEndOfARecordingOnAReplacedDeviceDoesntReleaseTheMode() {
        let bench = CameraBench()
        bench.attach()
        bench.media.held = [.recordingEnd]
        bench.send(.recording, "ON")
        bench.advance(by: .seconds(1))
        bench.attach().held = [.mode]
        let session = bench.send(.session, "32x18")
        bench.turn()
        bench.media.release(.recordingEnd)
        #expect(bench.state(.recording)["state"] == "idle" && !session.isFinished)
        #expect(bench.send(.recording, "ON").error?.code == .busy)
    }

    @Test(arguments: [ScriptedCamera.Operation.mode, .controls, .lens])
    func aRecordingIsRefusedUntilASessionIsDone(held: ScriptedCamera.Operation) {
        let bench = CameraBench()
        let device = bench.attach(opticalMax: 4)
        device.held = [held]
        let session = bench.send(
            .session, #"{"quality": "32x18", "controls": {"brightness": 1}, "zoom": {"factor": 2}}"#)
        #expect(bench.send(.recording, "ON").error?.code == .busy)
        device.held = []
        device.release(held)
        #expect(session.final?.status == .done)
        #expect(bench.send(.recording, "ON").statuses == [.accepted])
    }

    @Test func aFailedSessionIsUndoneBeforeTheModeIsReleased() {
        let bench = CameraBench()
        let device = bench.attach()
        device.held = [.mode]
        let session = bench.send(.session, #"{"quality": "32x18", "controls": {"focus": 20}}"#)
        device.release(.mode)
        #expect(device.pendingCalls(of: .mode) == 1 && !session.isFinished)
        #expect(bench.send(.recording, "ON").error?.code == .busy)
        device.release(.mode)
        #expect(session.isFinished && device.mode.width == 64)
        #expect(bench.send(.recording, "ON").statuses == [.accepted])
    }

    @Test func nothingIsPublishedAfterTheStop() {
        let bench = CameraBench(standingPreviewRate: 1)
        let device = bench.attach(opticalMax: 4)
        device.held = [.controls, .lens]
        bench.send(.controls, #"{"brightness": 1}"#)
        bench.send(.zoom, "2")
        bench.stop(waitingAtMost: .zero)
        #expect(bench.availability == ["state": "offline", "reason": "stopped"])
        let count = bench.frontEnd.messages.count
        let rev = bench.camera.context.rev
        device.release(.controls)
        device.release(.lens)
        device.report(.moved(optical: 3, moving: false))
        bench.attach()
        bench.advance(by: .seconds(100))
        #expect(bench.frontEnd.messages.count == count && bench.media.previewing.isEmpty)
        #expect(bench.savedAtStop.numbers.rev >= rev)
    }

    @Test(arguments: ExternalChanges.allCases)
    func aLensThatIsTakenAndThenFailsIsPublishedWhereItIs(external: ExternalChanges) {
        let bench = CameraBench(CameraSettings(external: external))
        let device = bench.attach(opticalMax: 4)
        device.held = [.lens, .stop]
        bench.send(.zoom, "2")
        device.report(.taken(optical: 3))
        device.fail(external == .follow ? .stop : .lens, with: .device("scripted"))
        #expect(bench.state(.zoom)["optical"] == 3)
    }
}
