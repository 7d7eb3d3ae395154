import Core
import TestSupport
import Testing

@testable import Cameras
@testable import Contract

/// Frames of which nothing can be made count as lost, each once, wherever they were needed.
struct DamagedFrameTests {
    let bench = CameraBench()
    let device: ScriptedCamera

    init() {
        device = bench.attach()
        device.frameInterval = .milliseconds(100)
        bench.media.framesAreDamaged = true
        for operation in [ScriptedMedia.Operation.encode, .measure, .preview] {
            bench.media.failures[operation] = CommandError(.device, "The frame is damaged.")
        }
    }

    private var lost: Int { bench.camera.frameCounts.lost }

    @Test func ofAPhoto() {
        for count in 1...3 {
            #expect(bench.send(.capture).error?.code == .device)
            #expect(lost == count)
            bench.advance(by: .milliseconds(200))
        }
    }

    @Test func notAFrameThatCouldNotBeEncodedForAnotherReason() {
        bench.media.framesAreDamaged = false
        #expect(bench.send(.capture).error?.code == .device)
        bench.send(.preview, #"{"fps": 10}"#)
        bench.advance(by: .seconds(1))
        #expect(lost == 0 && bench.media.previewedFrames.count > 5)
    }

    @Test func ofAPreview() {
        bench.send(.preview, #"{"fps": 10}"#)
        bench.advance(by: .seconds(1))
        #expect(lost == Set(bench.media.previewedFrames.map(\.number)).count && lost > 5)
        #expect(bench.frontEnd.frames.isEmpty)
    }

    @Test func ofAShutterButtonThatIsHeld() {
        bench.send(.capture, #"{"phase": "began"}"#)
        bench.advance(by: .seconds(1))
        #expect(lost > 5)
    }

    /// The preview shows the frames of the recording.
    @Test(arguments: [false, true]) func ofARecording(withPreview: Bool) {
        bench.send(.recording, "ON")
        if withPreview { bench.send(.preview, #"{"fps": 10}"#) }
        bench.advance(by: .seconds(1))
        #expect(9...12 ~= lost)
        #expect(bench.media.previewedFrames.count > (withPreview ? 5 : -1))
    }

    @Test func ofAPhotoThatWasRefusedMeanwhile() {
        bench.media.held = [.encode]
        let photo = bench.send(.capture)
        bench.send(.privacy, "ON")
        #expect(photo.refusal == Refusal(.private) && lost == 0)
        bench.media.release(.encode)
        #expect(lost == 1)
    }
}
