import Base
import Contract
import Settings
import Testing

@testable import Cameras
@testable import Settings

/// The end of a camera's use: ``CameraBackend/close()``.
@Suite(.timeLimit(.minutes(10))) struct CloseTests {
    @Test func afterCloseNothingIsCalledBack() {
        let harness = SimulatedCameraHarness(
            .init(opticalMaximum: 4, lensSpeed: 1, writeLatency: .milliseconds(1)))
        harness.camera.driveLens(to: 4)
        harness.camera.frame(exposedAfter: harness.loop.now + .milliseconds(1)) { _ in Issue.record("a frame")
        }
        harness.camera.callbacks.streamed = { _, _ in Issue.record("frames were counted") }
        harness.camera.close()
        harness.camera.driveLens(to: 2)
        harness.camera.stopLens()
        let late = harness.loop.now + .milliseconds(30)
        harness.turn { harness.loop.now > late }
        #expect(harness.reports.isEmpty)
    }

    @Test(arguments: ["simulated", "absent"]) func callsAfterCloseCompleteWithUnplugged(which: String) {
        let harness = SimulatedCameraHarness(FrameTests.small)
        let camera: any CameraBackend = which == "absent" ? AbsentCamera() : harness.camera
        camera.close()
        camera.callbacks.lensReported = { _ in Issue.record("the lens reported") }
        camera.close()
        var errors: [CameraError?] = []
        camera.setControls(["brightness": .number(1)]) { errors.append($0.error) }
        camera.setMode(camera.mode) { errors.append($0.error) }
        camera.frame(exposedAfter: harness.loop.now - .seconds(9)) { errors.append($0.error) }
        #expect(errors == [.unplugged, .unplugged, .unplugged])
    }
}

extension Result where Failure == CameraError {
    var error: CameraError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
