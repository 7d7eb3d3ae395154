import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// A preview during a recording: a frame that both need is requested and decoded once.
struct PreviewSharingTests {
    let bench = CameraBench()
    let device: ScriptedCamera

    init() { device = bench.attach() }

    private var frames: Int { bench.frontEnd.frames.count }

    private var requests: Int {
        device.calls.count { call in
            if case .frame = call { true } else { false }
        }
    }

    private func recordingBegins() throws -> ScriptedRecording {
        bench.startRecording()
        return try #require(bench.media.recordings.last)
    }

    /// Numbers of frames, of the recorded ones and of those that the preview shows.
    private func numbers(_ recording: ScriptedRecording) -> (copied: [Int], previewed: [Int]) {
        (recording.copies.map(\.frame), bench.media.previewedFrames.map(\.number))
    }

    @Test func thePreviewIsMadeOfTheRecordingsCopies() throws {
        bench.media.recordingsDecode = true
        let recording = try recordingBegins()
        bench.send(.zoom, #"{"factor": 2}"#)
        #expect(bench.send(.controls, #"{"color_effects": 2}"#).statuses == [.done])
        bench.send(.preview, #"{"fps": 10, "width": 320}"#)
        let before = requests
        bench.advance(by: .seconds(2))
        let (copied, previewed) = numbers(recording)
        #expect(copied == previewed && Set(copied).count == copied.count, "each is decoded once")
        #expect(18...21 ~= frames && frames == previewed.count)
        #expect(recording.copies.allSatisfy { $0.width == 320 })
        #expect(requests - before <= 61, "the preview requests frames of its own")
        for frame in bench.media.previewedFrames {
            guard case .planar(let picture) = frame.picture else {
                Issue.record("the frame itself")
                return
            }
            #expect((picture.width, picture.height) == (4, 2) && frame.field == .whole)
        }
        // The copy shows what was in view, and has no effect yet.
        #expect(bench.media.previewed.allSatisfy { $0.view == .whole && $0.width == 320 })
        #expect(recording.shown.last?.view.width == 0.5)
        #expect(bench.media.previewed.map(\.effect).last == .sepia)
    }

    /// JPEGs that are stored as they are, and planes.
    @Test func framesThatNeedNoDecodingAreUsedThemselves() throws {
        let recording = try recordingBegins()
        bench.send(.zoom, #"{"factor": 2}"#)
        bench.send(.preview, #"{"fps": 10}"#)
        let before = requests
        bench.advance(by: .seconds(1))
        let (copied, previewed) = numbers(recording)
        #expect(copied == previewed && 9...11 ~= frames && requests - before <= 31)
        #expect(bench.media.previewed.allSatisfy { $0.view.width == 0.5 })
    }

    @Test func thePreviewGoesOnWithoutTheRecording() throws {
        bench.media.recordingsDecode = true
        bench.send(.preview, #"{"fps": 30}"#)
        bench.advance(by: .seconds(1))
        #expect(28...31 ~= frames)
        for _ in 0..<3 {
            let before = frames
            let on = bench.send(.recording, "ON")
            bench.advance(by: .milliseconds(1_100))
            #expect(on.statuses == [.accepted, .done])
            #expect(25...33 ~= bench.media.recordings.last?.copies.count ?? 0)
            bench.stopRecording()
            bench.advance(by: .seconds(1))
            #expect(55...64 ~= frames - before)
        }
    }

    @Test func aFrameThatIsRequestedAtTheEndComesFromTheDevice() throws {
        let recording = try recordingBegins()
        device.held = [.frame]
        bench.send(.preview, #"{"fps": 1}"#)
        bench.media.held = [.recordingEnd]
        bench.send(.recording, "OFF")
        device.held = []
        bench.advance(by: .milliseconds(40))
        #expect(frames == 1 && recording.copies.isEmpty)
    }

    @Test func anEncoderThatStandsStillDelaysNoPreview() throws {
        let recording = try recordingBegins()
        bench.media.held = [.recordingFrame]
        bench.send(.preview, #"{"fps": 10}"#)
        bench.advance(by: .seconds(1))
        // One waited for the recording, in vain.
        #expect(recording.copies.count <= 1 && frames >= 7)
        bench.media.held = []
        while bench.media.release(.recordingFrame) {}
        let before = (copies: recording.copies.count, frames: frames)
        bench.advance(by: .seconds(1))
        #expect(frames - before.frames >= 9 && recording.copies.count - before.copies >= 9)
    }

    @Test func aDeviceThatGoesEndsBoth() throws {
        let recording = try recordingBegins()
        bench.send(.preview, #"{"fps": 30, "seconds": 100}"#)
        bench.advance(by: .milliseconds(500))
        bench.media.held = [.recordingFrame]
        bench.advance(by: .milliseconds(50))
        device.unplug()
        bench.media.held = []
        while bench.media.release(.recordingFrame) {}
        bench.advance(by: .seconds(1))
        #expect(bench.state(.recording)["last"]["reason"] == "unplugged" && recording.isFinished)
        let before = frames
        bench.attach()
        bench.advance(by: .seconds(1))
        #expect(frames - before >= 25)
    }
}
