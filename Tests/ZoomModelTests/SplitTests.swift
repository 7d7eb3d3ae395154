import Glibc
import TestSupport
import Testing
import ZoomModel

/// The split of a factor between lens and crop.
struct SplitTests {
    @Test func aLensBeyondTheRangeNeedsNoCrop() {
        var harness = ZoomHarness(.init(range: 1...3, opticalMax: 10))
        harness.zoom(to: 5)
        #expect((harness.model.snapshot.optical, harness.model.snapshot.digital) == (3, 1))
    }

    @Test func theCropCompensatesARoundingLens() {
        var harness = ZoomHarness(opticalMax: 2, lens: FakeLens(step: 0.25))
        for (factor, optical) in [(1.6, 1.5), (1.1, 1), (1.99, 1.75), (5, 2)] {
            let ticket = harness.zoom(to: factor)
            #expect(near(harness.factor, factor))
            #expect(harness.model.snapshot.optical == optical)
            #expect(harness.statuses(ticket) == [.done])
        }
    }

    @Test func aRampWithARoundingLensIsEven() {
        var harness = ZoomHarness(opticalMax: 2, lens: FakeLens(step: 0.25))
        harness.zoom(to: 4, rate: 1)
        harness.run(.seconds(2))
        #expect(harness.samples.count > 50)
        for sample in harness.samples {
            #expect(near(sample.zoom.factor, exp2(sample.time / .seconds(1))))
        }
    }

    @Test func aRoundingLensIsRequestedOncePerTarget() {
        var harness = ZoomHarness(opticalMax: 2, lens: FakeLens(step: 0.25))
        for _ in 0..<5 { harness.zoom(to: 1.6) }
        #expect(harness.lens.requests == [1.6])
    }

    @Test func aMovingLensAcceptsANewTarget() {
        var harness = ZoomHarness(opticalMax: 8, lens: FakeLens(speed: 1))
        let away = harness.zoom(to: 8)
        harness.run(.seconds(1))
        let back = harness.zoom(to: 1)
        harness.run(.milliseconds(1001))
        #expect(harness.factor == 1)
        #expect(harness.statuses(away) == [.superseded])
        #expect(harness.statuses(back) == [.done])
    }

    /// The crop shrinks only as fast as the lens moves.
    @Test func aPinchDuringALensMovementCausesNoJumpBack() {
        var harness = ZoomHarness(opticalMax: 2, lens: FakeLens(speed: 0.5))
        harness.zoom(to: 8)
        harness.run(.seconds(1))
        harness.pinch(.began)
        let seen = harness.factor
        harness.pinch(.changed, 1.05)
        harness.run(.seconds(1))
        #expect(near(harness.factor, 1.05 * seen))
        #expect(harness.states.filter { $0.time >= .seconds(1) }.allSatisfy { $0.zoom.factor >= seen - 1e-9 })
        #expect(
            harness.states.filter { $0.time >= .seconds(1) }.allSatisfy {
                $0.zoom.factor <= 1.05 * seen + 1e-9
            }
        )
    }

    @Test func aPinchDuringALensMovementStartsAtTheRealFactor() {
        var harness = ZoomHarness(opticalMax: 8, lens: FakeLens(stopLatency: .milliseconds(20), speed: 4))
        harness.zoom(to: 8)
        harness.run(.milliseconds(312))
        harness.pinch(.began)
        harness.run(.milliseconds(50))
        let real = harness.lensFactor
        #expect(harness.factor == real)
        #expect(harness.model.runningGesture?.base == real)
        harness.pinch(.changed, 1)
        harness.run(.seconds(1))
        #expect(near(harness.factor, real))
    }
}
