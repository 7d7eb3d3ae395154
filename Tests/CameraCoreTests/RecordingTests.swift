import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Recordings: their states, their answers, and what they are made of.
struct RecordingTests {
    let bench = CameraBench()

    init() { bench.attach() }

    private func phases(_ bench: CameraBench) -> [JSONValue] { bench.states(.recording).map { $0["state"] } }

    @Test(arguments: [("h264", "mp4"), ("mjpeg", "mkv")])
    func aRecordingIsAnsweredAndPublishedFromItsBeginningToItsEnd(codec: String, suffix: String) {
        let on = bench.send(
            .recording, #"{"on": true, "codec": "\#(codec)", "client": "phone", "id": "on-1"}"#)
        let startedAt = JSONValue.text(bench.timestamp)
        #expect(on.statuses == [.accepted] && bench.state(.recording)["state"] == "starting")
        bench.turn()
        #expect(on.statuses == [.accepted, .done])
        let state = bench.state(.recording)
        #expect(state["on"] == true && state["codec"] == .text(codec))
        #expect(state["width"] == 64 && state["height"] == 36 && state["audio"] == false)
        #expect(state["max_duration_s"] == 60 && state["started_at"] == startedAt)
        #expect(state["path"] == .text("recordings/camera-1.\(suffix)"))
        #expect(state["origin"]["client"] == "phone" && state["origin"]["id"] == "on-1")
        let started = bench.eventMessages("recording_started")
        #expect(started.map { $0["path"] } == [state["path"]])
        #expect(started.map { $0["client"] } == ["phone"] && started.map { $0["id"] } == ["on-1"])
        bench.advance(by: .seconds(1))
        let off = bench.send(.recording, #"{"on": false}"#)
        #expect(off.statuses == [.accepted] && bench.state(.recording)["state"] == "finishing")
        bench.turn()
        #expect(off.statuses == [.accepted, .done])
        let recording = off.lastMessage["recording"]
        #expect(recording["path"] == state["path"] && recording["reason"] == "stopped")
        #expect(recording["codec"] == .text(codec) && recording["started_at"] == startedAt)
        #expect(recording["frames"] == 31 && recording["lost"] == 0 && recording["error"] == nil)
        #expect(abs((recording["duration_s"].number ?? 0) - 31 / 30) < 0.001)
        #expect(bench.eventMessages("recording_finished").map { $0["recording"] } == [recording])
        let idle = bench.state(.recording)
        #expect(idle["on"] == false && idle["last"] == recording && idle["path"] == nil)
        #expect(phases(bench) == ["idle", "starting", "recording", "finishing", "idle"])
    }

    @Test(arguments: [
        ("ON", "OFF"), ("on", "off"), ("true", "false"), (#""ON""#, #""OFF""#),
        (#"{"on":true}"#, #"{"on":false}"#),
    ])
    func theWordsOfASwitchAreCommands(on: String, off: String) {
        bench.startRecording(on)
        let reply = bench.send(.recording, off)
        bench.turn()
        #expect(reply.lastMessage["recording"]["reason"] == "stopped")
    }

    @Test func onWhileItIsOnAndOffWhileItIsOffAreDone() {
        let off = bench.send(.recording, "OFF")
        #expect(off.statuses == [.done] && off.lastMessage["recording"] == nil)
        let path = bench.startRecording()["path"]
        #expect(bench.send(.recording, "ON").statuses == [.done])
        #expect(bench.media.recordings.count == 1 && bench.state(.recording)["path"] == path)
        #expect(bench.stopRecording()["path"] == path)
        #expect(bench.send(.recording, "OFF").statuses == [.done])
    }

    @Test func allClientsThatEndItGetTheRecording() {
        bench.startRecording()
        bench.advance(by: .milliseconds(100))
        let replies = ["phone", "desk"].map { bench.send(.recording, #"{"on": false, "client": "\#($0)"}"#) }
        bench.turn()
        #expect(replies.allSatisfy { $0.statuses == [.accepted, .done] })
        #expect(replies[0].lastMessage["recording"]["path"] != nil)
        #expect(replies[0].lastMessage["recording"] == replies[1].lastMessage["recording"])
        #expect(bench.events(.recordingFinished).count == 1)
    }

    @Test(arguments: [#""max_duration_s": 5"#, #""codec": "h264""#, #""audio": false"#])
    func anotherRecordingHasToWaitForTheEndOfTheFirst(option: String) {
        bench.startRecording()
        let other = bench.send(.recording, #"{"on": true, \#(option)}"#)
        #expect(other.statuses == [.error] && other.error?.code == .busy)
        #expect(bench.stopRecording()["reason"] == "stopped" && bench.media.recordings.count == 1)
    }

    @Test func aRecordingHasToWaitForTheFileBeforeIt() {
        bench.startRecording()
        bench.media.held = [.recordingEnd]
        let off = bench.send(.recording, "OFF")
        bench.turn()
        let early = bench.send(.recording, "ON")
        #expect(early.statuses == [.error] && early.error?.code == .busy && off.statuses == [.accepted])
        bench.media.held = []
        bench.media.release(.recordingEnd)
        #expect(off.statuses == [.accepted, .done])
        #expect(bench.startRecording()["path"] == "recordings/camera-2.mp4")
    }

    @Test func aRecordingThatIsEndedBeforeItsFirstFrameIsAnswered() {
        bench.media.held = [.recordingFrame]
        let (on, off) = (bench.send(.recording, "ON"), bench.send(.recording, "OFF"))
        bench.turn()
        #expect(on.statuses == [.accepted, .error] && on.error?.code == .busy)
        #expect(off.statuses == [.accepted, .done])
        #expect(bench.state(.recording)["state"] == "idle" && bench.state(.recording)["last"]["path"] == nil)
        #expect(bench.events(.recordingStarted).isEmpty)
    }

    @Test func soundWithoutAMicrophoneIsRefused() {
        let reply = bench.send(.recording, #"{"on": true, "audio": true}"#)
        #expect(reply.statuses == [.error] && reply.error?.code == .unsupported)
        #expect(reply.error?.field == "audio" && bench.send(.recording, "OFF").statuses == [.done])
        #expect(phases(bench) == ["idle"] && bench.media.recordings.isEmpty)
    }

    @Test(arguments: [
        ("ON", "hw:1", false), (#"{"on": true, "audio": true}"#, "hw:1", true),
        (#"{"on": true, "audio": false}"#, nil, false),
    ])
    func withAMicrophoneThereIsSoundUnlessARequestWantsNone(
        command: String, microphone: String?, isRequired: Bool
    ) throws {
        let bench = CameraBench(CameraSettings(microphone: "hw:1"))
        bench.attach()
        #expect(bench.frontEnd.state(on: .info)["recording"]["audio"] == true)
        #expect(bench.startRecording(command)["audio"] == .flag(microphone != nil))
        let options = try #require(bench.media.recordings.first?.options)
        #expect(options.microphone == microphone && options.requiresSound == isRequired)
        #expect(bench.stopRecording()["audio"] == .flag(microphone != nil))
    }

    @Test func anOddFrameIsRecordedWithEvenSides() {
        bench.attach(simulated: .init(opticalMaximum: 1, width: 161, height: 121))
        bench.advance(by: .milliseconds(100))
        bench.send(.recording, "ON")
        bench.advance(by: .milliseconds(100))
        let state = bench.state(.recording)
        #expect(state["state"] == "recording" && state["width"] == 160 && state["height"] == 120)
    }

    /// Of the camera's own video, whose size may differ from that of the mode.
    @Test func theSizeIsThatOfThePicturesInTheFile() {
        bench.media.recordedSize = (48, 32)
        let state = bench.startRecording()
        #expect(state["width"] == 48 && state["height"] == 32)
        #expect(bench.saved.unfinishedRecordings.map(\.width) == [48], "after a crash")
        let recording = bench.stopRecording()
        #expect(recording["width"] == 48 && recording["height"] == 32)
    }

    @Test func theCountOfFilesGoesOnAfterARestart() {
        bench.startRecording()
        bench.stop()
        let next = CameraBench(boot: 2, saved: bench.savedAtStop)
        next.attach()
        #expect(next.state(.recording)["state"] == "idle")
        #expect(next.startRecording()["path"] == "recordings/camera-2.mp4")
    }

    @Test func eachFrameShowsWhatIsInView() throws {
        bench.send(.zoom, #"{"factor": 4, "anchor": {"x": 0.9, "y": 0.2}}"#)
        let viewport = bench.state(.zoom)["viewport"]
        bench.startRecording()
        bench.advance(by: .milliseconds(500))
        bench.send(.zoom, #"{"factor": 1, "rate": 6}"#)
        bench.advance(by: .seconds(1))
        bench.stopRecording()
        let views = try #require(bench.media.recordings.first).shown.map(\.view)
        #expect(JSONValue.number(views[0].width) == viewport["width"])
        #expect(abs((viewport["x"].number ?? 2) - views[0].x) < 1e-5)
        #expect(abs((viewport["y"].number ?? 2) - views[0].y) < 1e-5)
        #expect(views.last == .whole && views.map(\.width) == views.map(\.width).sorted())
        #expect(views.count { $0.width > 0.25 && $0.width < 1 } > 5, "no frame on the way")
    }

    @Test func photosPreviewsAndZoomsGoOnMeanwhile() {
        bench.startRecording()
        #expect(bench.send(.preview, #"{"fps": 20, "client": "viewer"}"#).statuses == [.done])
        let photo = bench.photo(#"{"zoom": {"factor": 3, "rate": 8}}"#)
        #expect(photo["factor"] == 3)
        #expect(bench.frontEnd.frames.count > 1)
        let recording = bench.stopRecording()
        #expect(recording["reason"] == "stopped" && recording["lost"] == 0)
    }
}
