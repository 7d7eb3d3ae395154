import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Cameras with JPEGs and H.264, of which a device gives one at a time: recordings at 1× have the camera's
/// H.264, everything else the JPEGs.
struct CameraVideoTests {
    let bench = CameraBench()
    let device: ScriptedCamera

    init() {
        device = Self.attach(to: bench)
    }

    private static func attach(to bench: CameraBench, opticalMax: Double = 1) -> ScriptedCamera {
        let device = ScriptedCamera(
            description: .scriptedVideo(opticalMax: opticalMax), on: bench.loop)
        device.frameInterval = .seconds(1) / 30
        device.picture = ScriptedVideo(on: bench.loop).picture
        bench.source.attach(device)
        return device
    }

    /// The pixel formats that the device was changed to.
    private var changes: [String] {
        device.calls.compactMap { if case .setMode(let mode) = $0 { mode.pixelFormat } else { nil } }
    }

    private var recording: ScriptedRecording? { bench.media.recordings.last }

    @Test func aRecordingHasTheCamerasVideoAndThenJPEGsComeAgain() {
        let state = bench.startRecording()
        #expect(state["source"] == "camera" && state["key_frame_delay_s"] != nil)
        #expect(changes == ["H264"] && bench.state(.session)["pixel_format"] == "MJPG")
        bench.advance(by: .seconds(1))
        #expect(recording?.videos.allSatisfy { $0.isVideo && $0.isPassed } == true)
        let last = bench.stopRecording()
        #expect(last["source"] == "camera" && last["reason"] == "stopped")
        #expect(changes == ["H264", "MJPG"] && device.mode.pixelFormat == "MJPG")
        #expect(bench.states(.session).allSatisfy { $0["pixel_format"] == "MJPG" })
        // The session may be changed again.
        #expect(bench.send(.session, "high").statuses == [.done])
    }

    @Test func theNextRecordingHasItToo() {
        for _ in 0..<2 {
            bench.startRecording()
            #expect(recording?.videos.first?.isPassed == true)
            bench.stopRecording()
        }
        #expect(changes == ["H264", "MJPG", "H264", "MJPG"])
    }

    @Test func aRecordingBeginsWhenTheDeviceHasChanged() {
        device.held = [.mode]
        let on = bench.send(.recording, "ON")
        bench.advance(by: .seconds(1))
        #expect(on.statuses == [.accepted] && bench.state(.recording)["state"] == "starting")
        #expect(recording?.videos.isEmpty == true && bench.state(.recording)["source"] == nil)
        device.held = []
        device.release(.mode)
        bench.advance(by: .milliseconds(100))
        #expect(on.statuses == [.accepted, .done])
        let delay = bench.state(.recording)["key_frame_delay_s"].number ?? 0
        #expect((1...1.1).contains(delay))
    }

    // MARK: What the agent has to encode

    @Test func aZoomEndsTheVideoAndTheRecordingGoesOn() {
        bench.startRecording()
        bench.advance(by: .milliseconds(200))
        bench.send(.zoom, #"{"factor": 2}"#)
        bench.advance(by: .milliseconds(200))
        #expect(changes == ["H264", "MJPG"] && bench.state(.recording)["state"] == "recording")
        #expect(recording.map { $0.videos.last.map { $0.isVideo || $0.isPassed } } == false)
        // Back at 1× it is encoded all the same.
        bench.send(.zoom, #"{"factor": 1}"#)
        bench.advance(by: .milliseconds(200))
        #expect(changes == ["H264", "MJPG"])
        #expect(bench.stopRecording()["reason"] == "stopped" && bench.media.recordings.count == 1)
        #expect(changes == ["H264", "MJPG"])
    }

    @Test func anEffectEndsIt() {
        bench.startRecording()
        bench.send(.controls, #"{"color_effects": 1}"#)
        bench.advance(by: .milliseconds(200))
        #expect(changes == ["H264", "MJPG"])
        bench.stopRecording()
    }

    @Test(arguments: [
        #"{"on": true, "codec": "mjpeg"}"#, #"{"on": true, "quality": 50}"#,
        #"{"on": true, "max_bit_rate": 500000}"#,
    ])
    func whatACommandWantsEncodedIsEncoded(command: String) {
        #expect(bench.startRecording(command)["source"] != "camera" && changes.isEmpty)
        bench.stopRecording()
    }

    @Test func aZoomedRecordingIsEncoded() {
        bench.send(.zoom, #"{"factor": 2}"#)
        bench.advance(by: .seconds(1))
        #expect(bench.startRecording()["source"] == "encoder" && changes.isEmpty)
        #expect(bench.stopRecording()["source"] == "encoder")
    }

    /// The lens shows a part of the scene, but the whole picture is recorded.
    @Test func theZoomOfALensIsNoReasonToEncode() {
        let bench = CameraBench()
        let device = Self.attach(to: bench, opticalMax: 4)
        bench.send(.zoom, #"{"factor": 2}"#)
        bench.advance(by: .seconds(1))
        #expect(bench.startRecording()["source"] == "camera" && device.mode.pixelFormat == "H264")
        bench.stopRecording()
    }

    @Test func withoutTheKeyRecordingsAreEncoded() {
        let settings = CameraSettings(recording: CameraRecordingSettings(usesCameraVideo: false))
        let bench = CameraBench(settings)
        let device = Self.attach(to: bench)
        #expect(bench.startRecording()["source"] == "encoder")
        bench.stopRecording()
        #expect(!device.calls.contains { if case .setMode = $0 { true } else { false } })
    }

    /// The change of the device takes time: a recording with a time begins at its time.
    @Test func aRecordingWithATimeIsEncoded() {
        bench.send(.recording, #"{"on": true, "at": "\#(bench.timestamp(after: .seconds(5)))"}"#)
        bench.advance(by: .seconds(6))
        #expect(bench.state(.recording)["source"] == "encoder" && changes.isEmpty)
        bench.stopRecording()
    }

    // MARK: Devices that don't do it

    @Test func aDeviceThatRefusesTheChangeHasItsRecordingEncoded() {
        device.failures[.mode] = .device("VIDIOC_S_FMT: Device or resource busy")
        #expect(bench.startRecording()["source"] == "encoder")
        bench.advance(by: .seconds(1))
        let last = bench.stopRecording()
        #expect(last["source"] == "encoder" && last["frames"].number ?? 0 > 25 && last["error"] == nil)
        #expect(changes == ["H264"] && bench.state(.session)["pixel_format"] == "MJPG")
    }

    /// The format was taken, and its stream can't be started.
    @Test func framesThatFailEndIt() {
        device.held = [.frame]
        let on = bench.send(.recording, "ON")
        device.fail(.frame, with: .device("VIDIOC_STREAMON: No space left on device"))
        #expect(changes == ["H264", "MJPG"] && on.statuses == [.accepted])
        device.held = []
        bench.advance(by: .seconds(1))
        #expect(on.statuses == [.accepted, .done])
        #expect(bench.stopRecording()["source"] == "encoder" && changes == ["H264", "MJPG"])
    }

    @Test func framesThatFailLaterEndItToo() {
        bench.startRecording()
        bench.advance(by: .seconds(1))
        device.held = [.frame]
        bench.advance(by: .milliseconds(100))
        device.fail(.frame, with: .device("no frame came within 3 s"))
        device.held = []
        bench.advance(by: .seconds(1))
        #expect(bench.state(.recording)["state"] == "recording" && changes == ["H264", "MJPG"])
        #expect(recording?.videos.last?.isVideo == false)
        #expect(bench.stopRecording()["error"] == nil)
    }

    @Test func withoutAPictureInThreeSecondsJPEGsAreRecorded() {
        device.held = [.frame]
        let on = bench.send(.recording, "ON")
        bench.advance(by: .milliseconds(2_900))
        #expect(changes == ["H264"])
        bench.advance(by: .milliseconds(200))
        #expect(changes == ["H264", "MJPG"] && on.statuses == [.accepted])
        device.held = []
        bench.advance(by: .milliseconds(100))
        #expect(on.statuses == [.accepted, .done])
        #expect(bench.stopRecording()["source"] == "encoder")
    }

    /// Then the session has the format in which frames come.
    @Test func aDeviceThatDoesNotChangeBackHasANewSession() {
        bench.startRecording()
        device.failures[.mode] = .device("VIDIOC_S_FMT: Device or resource busy")
        bench.stopRecording()
        #expect(bench.state(.session)["pixel_format"] == "H264")
        device.failures = [:]
        #expect(bench.send(.session, "high").statuses.last == .done)
        #expect(bench.state(.session)["pixel_format"] == "MJPG")
    }

    // MARK: Ends

    @Test func theEndWaitsForTheDevice() {
        bench.startRecording()
        device.held = [.mode]
        let off = bench.send(.recording, "OFF")
        bench.advance(by: .seconds(1))
        #expect(off.statuses == [.accepted] && bench.state(.recording)["state"] == "finishing")
        device.held = []
        device.release(.mode)
        #expect(off.statuses == [.accepted, .done] && device.mode.pixelFormat == "MJPG")
        #expect(bench.state(.recording)["state"] == "idle")
    }

    @Test func aRecordingThatEndsWhileItBeginsChangesTheDeviceBack() {
        device.held = [.mode]
        let (on, off) = (bench.send(.recording, "ON"), bench.send(.recording, "OFF"))
        bench.turn()
        device.held = []
        device.release(.mode)
        bench.turn()
        #expect(on.statuses == [.accepted, .error] && off.statuses == [.accepted, .done])
        #expect(changes == ["H264", "MJPG"] && device.mode.pixelFormat == "MJPG")
    }

    @Test func aDeviceThatComesBackHasTheSession() {
        bench.startRecording()
        bench.source.detach(.unplugged)
        bench.turn()
        #expect(bench.state(.recording)["last"]["reason"] == "unplugged")
        let next = Self.attach(to: bench)
        bench.turn()
        #expect(bench.state(.session)["pixel_format"] == "MJPG" && next.mode.pixelFormat == "MJPG")
        bench.startRecording()
        #expect(next.mode.pixelFormat == "H264")
        bench.stopRecording()
    }

    @Test func aDeviceThatIsUnpluggedDuringTheChangeEndsTheRecording() {
        device.held = [.mode]
        let on = bench.send(.recording, "ON")
        bench.source.detach(.unplugged)
        bench.turn()
        #expect(on.statuses.last == .error && bench.state(.recording)["state"] == "idle")
    }

    @Test func privacyClosesTheDeviceAtOnce() {
        bench.startRecording()
        bench.send(.privacy, "ON")
        bench.advance(by: .seconds(1))
        #expect(bench.state(.recording)["last"]["reason"] == "privacy" && device.isClosed)
        #expect(changes == ["H264"])
    }

    @Test func theEndOfTheAgentDoesNotWaitForTheDevice() {
        bench.startRecording()
        device.held = [.mode]
        bench.stop()
        #expect(bench.state(.recording)["last"]["reason"] == "agent_stopped")
        #expect(bench.saved.lastRecording?.source == .camera)
    }

    @Test func anEndThatWaitsForTheDeviceIsAnsweredWhenTheAgentStops() {
        bench.startRecording()
        device.held = [.mode]
        let off = bench.send(.recording, "OFF")
        bench.advance(by: .seconds(1))
        bench.stop()
        #expect(off.statuses == [.accepted, .done])
        #expect(bench.saved.lastRecording?.reason == .stopped)
    }

    /// A command that changes only controls leaves the mode of a recording alone when it fails.
    @Test func aFailedCommandOfTheSessionDoesNotChangeTheMode() {
        bench.startRecording()
        device.failures[.controls] = .device("busy")
        let reply = bench.send(.session, #"{"controls": {"brightness": 1}}"#)
        bench.stopRecording()
        #expect(reply.statuses.last == .error && changes == ["H264", "MJPG"])
    }
}
