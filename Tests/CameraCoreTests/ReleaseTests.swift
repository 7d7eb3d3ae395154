import Base
import Core
import TestSupport
import Testing

@testable import Contract

/// A camera can be released at any time: nothing that waits keeps it, and each request is answered.
struct ReleaseTests {
    /// What the camera is doing when it is released.
    enum Situation: CaseIterable {
        case idle, ramp, lens, controls
        case sessionMode, sessionControls, sessionZoom
        case preset, desiredMode, desiredControls
        case photoZoom, photoFrame, photoEncoding, photoStoring
        case recordingStart, recordingFrames, recordingEnd
        case previewFrame, previewEncoding, sharedFrame
        case disk
    }

    @Test(arguments: Situation.allCases, [false, true])
    func nothingKeepsIt(situation: Situation, isStopped: Bool) {
        weak var context: CameraContext?
        weak var device: ScriptedCamera?
        weak var loop: EventLoop?
        let request: CollectingReplyAddress?
        do {
            let bench = CameraBench()
            let attached = bench.attach(opticalMax: 4)
            (context, device, loop) = (bench.camera.context, attached, bench.loop)
            request = begin(situation, bench, attached)
            if isStopped {
                bench.camera.beginStop()
                bench.camera.finishStop()
            }
        }
        #expect(context == nil && device == nil && loop == nil)
        #expect(request?.isFinished ?? true)
    }

    /// Returns the request that waits.
    private func begin(
        _ situation: Situation, _ bench: CameraBench, _ device: ScriptedCamera
    ) -> CollectingReplyAddress? {
        var request: CollectingReplyAddress?
        switch situation {
        case .idle: return nil
        case .ramp: request = bench.send(.zoom, #"{"factor": 4, "rate": 0.1}"#)
        case .lens:
            device.held = [.lens]
            request = bench.send(.zoom, "2")
        case .controls:
            device.held = [.controls]
            request = bench.send(.controls, #"{"brightness": 1}"#)
        case .sessionMode:
            device.held = [.mode]
            request = bench.send(.session, #"{"quality": "32x18"}"#)
        case .sessionControls:
            device.held = [.controls]
            request = bench.send(.session, #"{"quality": "32x18", "controls": {"brightness": 1}}"#)
        case .sessionZoom:
            device.held = [.lens]
            request = bench.send(.session, #"{"quality": "32x18", "zoom": {"factor": 2}}"#)
        case .preset:
            bench.send(.presets, #"{"save": "near"}"#)
            bench.send(.controls, #"{"brightness": 1}"#)
            device.held = [.controls]
            request = bench.send(.presets, #"{"go": "near"}"#)
        case .desiredMode:
            device.held = [.mode]
            request = bench.send(.desired, #"{"version": 1, "session": {"quality": "32x18"}}"#)
        case .desiredControls:
            device.held = [.controls]
            request = bench.send(.desired, #"{"version": 1, "controls": {"brightness": 1}}"#)
        case .photoZoom:
            device.held = [.lens]
            request = bench.send(.capture, #"{"zoom": {"factor": 2}}"#)
        case .photoFrame:
            device.held = [.frame]
            request = bench.send(.capture)
        case .photoEncoding:
            bench.media.held = [.encode]
            request = bench.send(.capture)
        case .photoStoring:
            bench.media.held = [.store]
            request = bench.send(.capture)
        case .recordingStart:
            device.held = [.frame]
            request = bench.send(.recording, "ON")
        case .recordingFrames:
            bench.send(.recording, "ON")
            bench.advance(by: .seconds(1))
            return nil
        case .recordingEnd:
            bench.send(.recording, "ON")
            bench.advance(by: .seconds(1))
            bench.media.held = [.recordingEnd]
            request = bench.send(.recording, "OFF")
            bench.turn()
        case .previewFrame:
            device.held = [.frame]
            bench.send(.preview, "ON")
            return nil
        case .previewEncoding:
            bench.media.held = [.preview]
            bench.send(.preview, "ON")
            bench.advance(by: .seconds(1))
            #expect(bench.media.pendingCalls(of: .preview) == 1)
            return nil
        case .sharedFrame:
            bench.media.recordingsDecode = true
            bench.send(.recording, "ON")
            bench.advance(by: .seconds(1))
            bench.media.held = [.recordingFrame]
            bench.send(.preview, "ON")
            bench.advance(by: .milliseconds(100))
            #expect(bench.media.recordings.last?.copies.count == 1)
            return nil
        case .disk:
            bench.storage.isHeld = true
            request = bench.send(.presets, #"{"save": "near"}"#)
        }
        #expect(request?.isFinished == false, "it waits")
        return request
    }
}
