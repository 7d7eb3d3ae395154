import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// Cameras that give their H.264 beside the frames: the session keeps its mode, and photos and previews are
/// made of its frames, while a recording at 1× has the H.264.
final class VideoBesideTests {
    let bench: CameraBench
    let device: ScriptedCamera
    /// Of the last recording.
    private var stream: ScriptedVideoStream?

    init() {
        let bench = CameraBench()
        var description = CameraDescription.scripted()
        description.formats = [.init(pixelFormat: "MJPG", width: 64, height: 36, rates: [30])]
        description.videoFormats = [.init(pixelFormat: "H264", width: 64, height: 36, rates: [30])]
        device = ScriptedCamera(description: description, on: bench.loop)
        device.frameInterval = .seconds(1) / 30
        device.picture = ScriptedVideo(on: bench.loop).picture
        self.bench = bench
        device.openingVideo = { [weak self, loop = bench.loop] mode, then in
            let stream = ScriptedVideoStream(mode, on: loop)
            self?.stream = stream
            then(.success(stream))
        }
        bench.source.attach(device)
    }

    private var recording: ScriptedRecording? { bench.media.recordings.last }

    private var changesOfTheMode: Int {
        device.calls.count { if case .setMode = $0 { true } else { false } }
    }

    private func isVideo(_ frame: Frame?) -> Bool? {
        frame.map { frame in if case .h264 = frame.picture { true } else { false } }
    }

    /// Begins a recording, whose first frame comes after 1/30 s.
    private func start() -> CollectingReplyAddress {
        let on = bench.send(.recording, "ON")
        bench.advance(by: .milliseconds(100))
        return on
    }

    @Test func aRecordingHasTheVideoAndTheModeStays() {
        #expect(start().statuses == [.accepted, .done])
        #expect(bench.state(.recording)["source"] == "camera")
        bench.advance(by: .seconds(1))
        #expect(recording?.videos.allSatisfy { $0.isVideo && $0.isPassed } == true)
        let last = bench.stopRecording()
        #expect(last["source"] == "camera" && last["lost"] == 0)
        #expect(changesOfTheMode == 0 && stream?.isClosed == true)
    }

    @Test func previewsAreMadeOfTheFrames() {
        bench.send(.preview, #"{"seconds": 60, "fps": 10, "width": 32}"#)
        _ = start()
        bench.advance(by: .seconds(1))
        #expect(isVideo(bench.media.previewedFrames.last) == false)
        #expect(recording?.videos.last?.isVideo == true && recording?.copies.isEmpty == true)
        bench.stopRecording()
    }

    /// No frame of the session is requested for as long.
    @Test func aBetterDeviceWaitsForTheEndOfTheRecording() {
        _ = start()
        bench.advance(by: .seconds(40))
        #expect(recording?.videos.last?.isVideo == true && bench.source.isInUse())
        bench.stopRecording()
        #expect(!bench.source.isInUse())
    }

    @Test func aZoomClosesTheSecondNodeAndTheRecordingGoesOn() {
        _ = start()
        bench.send(.zoom, #"{"factor": 2}"#)
        bench.advance(by: .milliseconds(200))
        #expect(stream?.isClosed == true && recording?.videos.last?.isVideo == false)
        bench.advance(by: .seconds(1))
        let last = bench.stopRecording()
        #expect(last["reason"] == "stopped" && last["frames"].number ?? 0 > 25 && last["error"] == nil)
    }

    @Test func withABusyNodeRecordingsAreEncoded() {
        device.openingVideo = { _, then in then(.failure(.device("VIDIOC_S_FMT: Device or resource busy"))) }
        #expect(start().statuses == [.accepted, .done])
        #expect(bench.state(.recording)["source"] == "encoder")
        #expect(bench.stopRecording()["source"] == "encoder")
    }

    @Test func withoutAPictureInThreeSecondsTheFramesAreRecorded() {
        device.openingVideo = { [weak self, loop = bench.loop] mode, then in
            let stream = ScriptedVideoStream(mode, on: loop)
            stream.isHeld = true
            self?.stream = stream
            then(.success(stream))
        }
        let on = start()
        bench.advance(by: .seconds(2.8))
        #expect(on.statuses == [.accepted] && stream?.isClosed == false)
        bench.advance(by: .milliseconds(300))
        #expect(on.statuses == [.accepted, .done] && stream?.isClosed == true)
        #expect(bench.stopRecording()["source"] == "encoder")
    }

    @Test func framesThatFailEndIt() {
        _ = start()
        stream?.isHeld = true
        bench.advance(by: .milliseconds(100))
        stream?.fail(.device("no frame came within 3 s"))
        bench.advance(by: .seconds(1))
        #expect(stream?.isClosed == true && recording?.videos.last?.isVideo == false)
        #expect(bench.stopRecording()["error"] == nil)
    }

    @Test func aRecordingThatEndsWhileItIsOpenedClosesIt() {
        var opened: ((Result<any VideoStream, CameraError>) -> Void)?
        device.openingVideo = { _, then in opened = then }
        let on = bench.send(.recording, "ON")
        let off = bench.send(.recording, "OFF")
        bench.turn()
        #expect(off.statuses == [.accepted])
        let stream = ScriptedVideoStream(device.mode, on: bench.loop)
        opened?(.success(stream))
        opened = nil
        bench.turn()
        #expect(stream.isClosed && on.statuses.last == .error && off.statuses == [.accepted, .done])
    }

    @Test func itIsClosedWithTheDevice() {
        _ = start()
        bench.source.detach(.unplugged)
        bench.turn()
        #expect(stream?.isClosed == true && bench.state(.recording)["last"]["reason"] == "unplugged")
    }

    @Test func privacyClosesTheSecondNode() {
        _ = start()
        bench.send(.privacy, "ON")
        #expect(stream?.isClosed == true)
    }

    @Test func theEndOfTheAgentClosesTheSecondNode() {
        _ = start()
        bench.stop()
        #expect(stream?.isClosed == true && bench.state(.recording)["last"]["reason"] == "agent_stopped")
    }

    @Test func withoutTheKeyRecordingsAreEncoded() {
        let settings = CameraSettings(recording: CameraRecordingSettings(usesCameraVideo: false))
        let bench = CameraBench(settings)
        let device = ScriptedCamera(description: device.description, on: bench.loop)
        device.openingVideo = { [loop = bench.loop] mode, then in
            Issue.record("the second node is opened")
            then(.success(ScriptedVideoStream(mode, on: loop)))
        }
        bench.source.attach(device)
        #expect(bench.startRecording()["source"] == "encoder")
    }
}
