import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// What ends a recording, and what is published then.
struct RecordingEndTests {
    let bench = CameraBench()
    let device: ScriptedCamera

    init() { device = bench.attach() }

    /// The recording of the last state, which has to be idle; the event has the same.
    private func finished(
        _ bench: CameraBench, sourceLocation: SourceLocation = #_sourceLocation
    ) -> JSONValue {
        let state = bench.state(.recording)
        #expect(state["state"] == "idle" && state["on"] == false, sourceLocation: sourceLocation)
        let event = bench.eventMessages("recording_finished").last ?? .null
        #expect(event["recording"] == state["last"], sourceLocation: sourceLocation)
        return state["last"]
    }

    // MARK: Time and size

    @Test func itEndsAtItsMaximumDuration() {
        bench.startRecording(#"{"on": true, "max_duration_s": 1}"#)
        bench.advance(by: .milliseconds(990))
        #expect(bench.state(.recording)["state"] == "recording")
        bench.advance(by: .milliseconds(20))
        let recording = finished(bench)
        #expect(recording["reason"] == "max_duration" && recording["error"] == nil)
        #expect(abs((recording["duration_s"].number ?? 0) - 1) < 0.04)
        #expect(bench.send(.recording, "OFF").statuses == [.done])
    }

    @Test func withoutFramesItEndsAtItsMaximumDurationAsWell() {
        bench.startRecording(#"{"on": true, "max_duration_s": 1}"#)
        device.held = [.frame]
        bench.advance(by: .milliseconds(1_010))
        #expect(finished(bench)["reason"] == "max_duration")
    }

    @Test func theConfiguredDurationAndCodecAreTheDefaults() {
        let bench = CameraBench(recordings: RecordingSettings(maximumSeconds: 1, codec: .mjpeg))
        bench.attach()
        let info = bench.frontEnd.state(on: .info)["recording"]
        #expect(info == ["codec": "mjpeg", "max_duration_s": 1, "audio": false, "key_frame_interval_s": 1])
        let state = bench.startRecording()
        #expect(state["max_duration_s"] == 1 && state["codec"] == "mjpeg")
        bench.advance(by: .seconds(2))
        let recording = finished(bench)
        #expect(recording["reason"] == "max_duration" && recording["codec"] == "mjpeg")
        let other = bench.startRecording(#"{"on": true, "max_duration_s": 30, "codec": "h264"}"#)
        #expect(other["max_duration_s"] == 30 && other["codec"] == "h264")
        bench.advance(by: .seconds(2))
        #expect(bench.stopRecording()["reason"] == "stopped")
    }

    @Test func aFullFileEndsIt() {
        bench.startRecording()
        bench.media.recordings.last?.fill()
        bench.turn()
        let recording = finished(bench)
        #expect(recording["reason"] == "size_limit" && recording["error"] == nil)
        #expect(recording["path"] == "recordings/camera-1.mp4")
    }

    // MARK: Failures

    @Test(arguments: [CommandError.Code.device, .storageFull]) func anEncoderThatFailsEndsIt(
        code: CommandError.Code
    ) {
        let path = bench.startRecording()["path"]
        bench.media.failures = [.recordingFrame: CommandError(code, "It failed.")]
        bench.advance(by: .milliseconds(100))
        let recording = finished(bench)
        #expect(recording["reason"] == (code == .storageFull ? "disk_full" : "failed"))
        #expect(recording["error"]["code"] == .text(code.rawValue) && recording["path"] == path)
        bench.media.failures = [:]
        bench.startRecording()
    }

    @Test(arguments: [CommandError.Code.device, .storageFull])
    func anEncoderThatFailsBeforeTheFirstFrameIsTheAnswer(code: CommandError.Code) {
        bench.media.failures = [.recordingFrame: CommandError(code, "It failed.")]
        let on = bench.send(.recording, #"{"on": true, "id": "1"}"#)
        bench.turn()
        #expect(on.statuses == [.accepted, .error] && on.error?.code == code)
        let recording = finished(bench)
        #expect(recording["path"] == nil && recording["frames"] == 0)
        #expect(recording["error"] == on.lastMessage["error"] && bench.events(.recordingStarted).isEmpty)
        #expect(bench.eventMessages("refused").map { $0["id"] } == ["1"])
    }

    @Test func withoutAThreadNoRecordingBegins() {
        bench.media.beginFailure = CommandError(.device, "No further thread.")
        let on = bench.send(.recording, "ON")
        #expect(on.statuses == [.error] && on.error?.code == .device)
        #expect(bench.states(.recording).count == 1)
        bench.media.beginFailure = nil
        #expect(bench.startRecording()["path"] == "recordings/camera-1.mp4")
    }

    @Test func aFileThatCantBeCompletedIsAnError() {
        bench.startRecording()
        bench.media.failures = [.recordingEnd: CommandError(.storageFull, "No space left on device.")]
        let off = bench.send(.recording, "OFF")
        bench.turn()
        // The frames up to then are in the file.
        #expect(off.statuses == [.accepted, .done])
        #expect(off.lastMessage["recording"] == finished(bench))
        #expect(
            finished(bench)["reason"] == "disk_full" && finished(bench)["error"]["code"] == "storage_full")
    }

    @Test func aDeviceWithoutFramesIsTheAnswer() {
        device.failures = [.frame: .device("no frame came")]
        let on = bench.send(.recording, "ON")
        bench.turn()
        #expect(on.statuses == [.accepted, .error] && on.error?.code == .device)
        let recording = finished(bench)
        #expect(recording["reason"] == "failed" && recording["frames"] == 0 && recording["path"] == nil)
        #expect(recording["error"]["code"] == "device" && bench.media.recordings.count == 1)
    }

    @Test func singleFramesThatFailDontEndIt() {
        bench.startRecording()
        device.held = [.frame]
        for _ in 0..<5 {
            for _ in 0..<2 { device.fail(.frame, with: .device("no frame came")) }
            bench.advance(by: .milliseconds(50))
            device.release(.frame)
        }
        bench.turn()
        #expect(bench.state(.recording)["state"] == "recording")
        for _ in 0..<3 { device.fail(.frame, with: .device("no frame came")) }
        bench.turn()
        #expect(finished(bench)["reason"] == "failed" && finished(bench)["frames"] == 6)
    }

    @Test func framesThatTheEncoderCantTakeAreCountedAsLost() {
        bench.startRecording()
        bench.media.held = [.recordingFrame]
        bench.advance(by: .seconds(1))
        bench.media.held = []
        while bench.media.release(.recordingFrame) {}
        bench.advance(by: .seconds(1))
        let recording = bench.stopRecording()
        let (frames, lost) = (recording["frames"].number ?? 0, recording["lost"].number ?? 0)
        #expect(
            frames + lost == 61 && lost == 22, "eight frames wait for the encoder, the others are left out")
        #expect(recording["reason"] == "stopped")
    }

    // MARK: The device and the agent

    @Test func anUnplugCompletesTheFile() {
        let path = bench.startRecording()["path"]
        bench.advance(by: .milliseconds(500))
        bench.source.detach(.unplugged)
        bench.turn()
        let recording = finished(bench)
        #expect(recording["reason"] == "unplugged" && recording["path"] == path && recording["error"] == nil)
        bench.attach()
        #expect(bench.startRecording()["state"] == "recording")
    }

    @Test func anUnplugBeforeTheFirstFrameIsAnswered() {
        bench.media.held = [.recordingFrame]
        let on = bench.send(.recording, "ON")
        bench.source.detach(.unplugged)
        bench.turn()
        #expect(on.statuses == [.accepted, .error])
        #expect(finished(bench)["reason"] == "unplugged" && finished(bench)["path"] == nil)
    }

    @Test func withoutADeviceThereIsNoRecording() {
        let bench = CameraBench()
        bench.source.detach(.notFound)
        #expect(bench.send(.recording, "ON").error?.code == .unavailable)
        #expect(bench.send(.recording, "OFF").statuses == [.done])
        #expect(bench.state(.recording)["state"] == "idle" && bench.state(.recording)["last"] == nil)
    }

    @Test func aStopOfTheAgentCompletesTheFile() {
        let path = bench.startRecording()["path"]
        bench.advance(by: .milliseconds(500))
        bench.stop()
        let recording = finished(bench)
        #expect(recording["reason"] == "agent_stopped" && recording["path"] == path)
        #expect(recording["frames"] != 0)
    }

    @Test func noRecordingBeginsWhileTheAgentStops() {
        bench.startRecording()
        bench.media.held = [.recordingEnd]
        let off = bench.send(.recording, "OFF")
        bench.camera.beginStop()
        let on = bench.send(.recording, "ON")
        #expect(on.statuses == [.error] && on.error?.message == "The agent is stopping.")
        bench.turn()
        #expect(bench.camera.isRecording, "the agent waits for the file")
        bench.media.release(.recordingEnd)
        #expect(off.statuses == [.accepted, .done] && !bench.camera.isRecording)
    }

    @Test func aFileThatIsNeverCompletedDoesntKeepTheAgentFromStopping() {
        bench.startRecording()
        bench.media.held = [.recordingEnd]
        let off = bench.send(.recording, "OFF")
        bench.stop()
        #expect(off.statuses == [.accepted, .error] && off.error?.code == .unavailable)
    }
}
