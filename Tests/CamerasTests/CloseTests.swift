import Cameras
import LoopThread
import Testing

/// The end of a camera's use: ``CameraBackend/close()``.
@Suite(.timeLimit(.minutes(1))) struct CloseTests {
    @Test func pendingFramesFailBeforeCloseReturns() {
        let bench = Bench(FrameTests.small)
        var errors: [CameraError?] = []
        for wait in [1, 2, 3] {
            bench.camera.frame(exposedAfter: bench.loop.now + .seconds(wait)) { errors.append($0.error) }
        }
        bench.camera.close()
        #expect(errors == [.unplugged, .unplugged, .unplugged])
    }

    @Test func aSecondCloseInACompletionAnswersTheRest() {
        let bench = Bench(FrameTests.small)
        var count = 0
        for _ in 0..<3 {
            bench.camera.frame(exposedAfter: bench.loop.now + .seconds(1)) { _ in
                count += 1
                if count > 1 { return }
                bench.camera.close()
                #expect(count == 3)
            }
        }
        bench.camera.close()
        #expect(count == 3)
    }

    @Test func aCompletionThatClosesEndsTheOthersOfItsFrame() {
        let bench = Bench(FrameTests.small)
        var errors: [CameraError?] = []
        let time = bench.loop.now + .milliseconds(20)
        for _ in 0..<2 {
            bench.camera.frame(exposedAfter: time) {
                errors.append($0.error)
                bench.camera.close()
            }
        }
        bench.turn { errors.count == 2 }
        #expect(errors == [nil, .unplugged])
    }

    @Test func afterCloseNothingIsCalledBack() {
        let bench = Bench(.init(opticalMax: 4, lensSpeed: 1, writeLatency: .milliseconds(1)))
        bench.camera.driveLens(to: 4)
        bench.camera.streamed = { _, _ in Issue.record("frames were counted") }
        bench.camera.close()
        bench.camera.driveLens(to: 2)
        bench.camera.stopLens()
        let late = bench.loop.now + .milliseconds(30)
        bench.turn { bench.loop.now > late }
        #expect(bench.reports.isEmpty)
    }

    @Test(arguments: ["simulated", "absent"]) func callsAfterCloseCompleteWithUnplugged(which: String) {
        let bench = Bench(FrameTests.small)
        let camera: any CameraBackend = which == "absent" ? AbsentCamera() : bench.camera
        camera.close()
        camera.lensReported = { _ in Issue.record("the lens reported") }
        camera.close()
        var errors: [CameraError?] = []
        camera.setControls(["brightness": .number(1)]) { errors.append($0.error) }
        camera.setMode(camera.mode) { errors.append($0.error) }
        camera.frame(exposedAfter: bench.loop.now - .seconds(9)) { errors.append($0.error) }
        #expect(errors == [.unplugged, .unplugged, .unplugged])
    }
}

extension Result where Failure == CameraError {
    var error: CameraError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
