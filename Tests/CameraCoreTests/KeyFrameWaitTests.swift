import Base
import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// Recordings of a camera that delivers H.264: how long they wait for a key frame.
struct KeyFrameWaitTests {
    let bench = CameraBench()
    let device: ScriptedCamera
    private let video: Video

    /// A stream that has begun with a key frame, and has further ones when the test says so.
    private final class Video {
        private let stream = H264Picture.StreamID()
        private var units: [H264AccessUnit] = []
        var nextIsKey = true

        func picture(at time: ContinuousClock.Instant) -> Picture {
            units.append(
                H264AccessUnit(
                    bytes: [0, 0, 0, 1, nextIsKey ? 0x65 : 0x61], ordinal: units.count + 1,
                    number: units.count + 1, exposedAt: time, isKey: nextIsKey))
            nextIsKey = false
            return .h264(H264Picture(stream: stream, width: 64, height: 36, units: units))
        }
    }

    init() {
        device = bench.attach()
        let (video, loop) = (Video(), bench.loop)
        self.video = video
        device.picture = { _ in video.picture(at: loop.now) }
        // A preview has started the stream before.
        bench.send(.preview, #"{"fps": 30, "seconds": 600}"#)
        bench.advance(by: .seconds(1))
    }

    private func start() -> CollectingReplyAddress { bench.send(.recording, "ON") }

    @Test func aKeyFrameIsRequestedAndBeginsTheRecording() {
        let before = device.keyFrameRequests
        let on = start()
        #expect(device.keyFrameRequests == before + 1)
        bench.advance(by: .milliseconds(2_010))
        #expect(on.statuses == [.accepted] && bench.state(.recording)["state"] == "starting")
        video.nextIsKey = true
        bench.advance(by: .milliseconds(100))
        #expect(on.statuses == [.accepted, .done])
        let delay = bench.state(.recording)["key_frame_delay_s"].number ?? -1
        #expect(2...2.1 ~= delay)
    }

    @Test func withoutAKeyFrameThePicturesAreEncoded() {
        let on = start()
        bench.advance(by: .milliseconds(4_990))
        #expect(on.statuses == [.accepted] && bench.media.recordings.last?.frames == 0)
        bench.advance(by: .milliseconds(100))
        #expect(on.statuses == [.accepted, .done])
        let state = bench.state(.recording)
        #expect(state["state"] == "recording" && state["key_frame_delay_s"] == nil)
        // A later key frame changes nothing.
        video.nextIsKey = true
        bench.advance(by: .seconds(1))
        let recording = bench.stopRecording()
        #expect(recording["reason"] == "stopped" && recording["lost"] == 0)
        #expect((recording["frames"].number ?? 0) >= 30 && recording["key_frame_delay_s"] == nil)
    }

    @Test func theErrorSaysThatNoKeyFrameCame() {
        bench.media.failures[.recordingFrame] = CommandError(.device, "The decoder is missing.")
        let on = start()
        bench.advance(by: .seconds(6))
        #expect(on.statuses == [.accepted, .error] && on.error?.code == .device)
        let words = bench.state(.recording)["last"]["error"]["message"].text ?? ""
        #expect(words.contains("No key frame of H.264 came within 5 s"))
        #expect(words.contains("The decoder is missing."))
    }

    /// The backend fails a request where no key frame comes at all, after ten seconds.
    @Test func aStreamThatHasNoKeyFrameAtAllEndsTheRecording() {
        device.held = [.frame]
        let on = start()
        bench.advance(by: .seconds(10))
        #expect(on.statuses == [.accepted])
        let error = CameraError.device("no key frame of H.264 came within 10 s")
        for _ in 0..<device.pendingCalls(of: .frame) { device.fail(.frame, with: error) }
        bench.turn()
        #expect(on.statuses == [.accepted, .error])
        #expect(on.error?.message.contains("no key frame of H.264 came within 10 s") == true)
        #expect(bench.state(.recording)["state"] == "idle")
    }

    @Test func aZoomedPictureNeedsNoKeyFrame() {
        bench.send(.zoom, #"{"factor": 2}"#)
        let on = start()
        bench.advance(by: .milliseconds(100))
        #expect(on.statuses == [.accepted, .done])
    }
}
