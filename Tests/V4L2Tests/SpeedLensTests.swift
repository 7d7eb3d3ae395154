import Testing

@testable import Cameras

/// A lens that has a speed and no position: one octave per second, up to factor 4.
struct SpeedLensTests {
    private let start = ContinuousClock.now
    private var lens: SpeedLens {
        let speedControl = V4L2Lens.SpeedControl(rate: 1, max: 4)
        return SpeedLens(V4L2Lens(speedControl: speedControl), speedControl, at: start)
    }

    private func reports(_ actions: [LensAction]) -> [LensReport] {
        actions.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    @Test func itIsStoppedWhenItIsEstimatedToBeThere() {
        var lens = lens
        #expect(lens.request(2, at: start) == [.run(.turn(1))])
        let taken = lens.finished(.turned(speed: 1, nil), at: start)
        #expect(reports(taken) == [.written(optical: 1, moving: true)])
        #expect(taken.contains(.wake(at: start + SpeedLens.reportInterval)))
        let half = reports(lens.wake(at: start + .milliseconds(500)))
        #expect(half == [.moved(optical: 2.0.squareRoot(), moving: true)])
        #expect(lens.wake(at: start + .seconds(1)) == [.run(.turn(0))])
        let end = lens.finished(.turned(speed: 0, nil), at: start + .seconds(1))
        #expect(end == [.wake(at: nil), .report(.moved(optical: 2, moving: false))])
    }

    @Test func aStopWaitsForTheSpeedZero() {
        var lens = lens
        _ = lens.request(4, at: start)
        #expect(lens.stop(isThreadBusy: true, known: nil) == [.run(.turn(0))])
        #expect(reports(lens.finished(.turned(speed: 1, nil), at: start)) == [])
        #expect(lens.awaitsReport)
        #expect(reports(lens.finished(.turned(speed: 0, nil), at: start)) == [.stopped(optical: 1)])
        #expect(!lens.awaitsReport)
    }

    @Test func aRequestInTheSameDirectionNeedsNoCall() {
        var lens = lens
        _ = lens.request(4, at: start)
        _ = lens.finished(.turned(speed: 1, nil), at: start)
        let later = start + .milliseconds(500)
        #expect(reports(lens.request(3, at: later)) == [.written(optical: 2.0.squareRoot(), moving: true)])
    }

    @Test func aFailureIsReportedAndTheEstimateGoesOn() {
        var lens = lens
        _ = lens.request(4, at: start)
        _ = lens.finished(.turned(speed: 1, nil), at: start)
        _ = lens.stop(isThreadBusy: false, known: nil)
        let error = CameraError.device("busy")
        #expect(lens.finished(.turned(speed: 0, error), at: start) == [.report(.failed(error))])
        #expect(lens.isMoving && lens.optical(at: start + .seconds(1)) == 2)
    }

    @Test func aDeviceThatIsGoneLeavesTheRequestToItsOwner() {
        var lens = lens
        _ = lens.request(4, at: start)
        #expect(lens.finished(.turned(speed: 1, .unplugged), at: start) == [.deviceGone])
        #expect(lens.awaitsReport)
    }
}
