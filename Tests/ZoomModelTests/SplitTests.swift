import Glibc
import Testing
import ZoomModel

/// One factor over a lens and a crop.
struct SplitTests {
    @Test(arguments: [(1.0, 1.0, 1.0), (1.7, 1.7, 1), (2, 2, 1), (3, 2, 1.5), (8, 2, 4)])
    func theLensGoesFirstAndTheCropDoesTheRest(factor: Double, optical: Double, digital: Double) {
        var bench = Bench(opticalMax: 2)
        for detour in [1.0, 8] {
            bench.zoom(to: detour)
            bench.zoom(to: factor)
            let zoom = bench.model.snapshot
            #expect(near(zoom.optical, optical))
            #expect(near(zoom.digital, digital))
            #expect(near(zoom.factor, zoom.optical * zoom.digital))
            #expect(near(zoom.viewport.width, 1 / digital) && near(zoom.viewport.height, 1 / digital))
            #expect(near(zoom.viewport.x, 0.5 - 0.5 / digital) && near(zoom.viewport.y, 0.5 - 0.5 / digital))
        }
    }

    @Test func aLensThatReachesBeyondTheRangeNeedsNoCrop() {
        var bench = Bench(.init(range: ZoomRange(min: 1, max: 3), opticalMax: 10))
        bench.zoom(to: 5)
        #expect((bench.model.snapshot.optical, bench.model.snapshot.digital) == (3, 1))
    }

    @Test func whatALensRoundsDownTheCropMakesUpFor() {
        var bench = Bench(opticalMax: 2, lens: FakeLens(step: 0.25))
        for (factor, optical) in [(1.6, 1.5), (1.1, 1), (1.99, 1.75), (5, 2)] {
            let ticket = bench.zoom(to: factor)
            #expect(near(bench.factor, factor))
            #expect(bench.model.snapshot.optical == optical)
            #expect(bench.statuses(ticket) == [.done])
        }
    }

    @Test func aRampOverALensThatRoundsIsStillEven() {
        var bench = Bench(opticalMax: 2, lens: FakeLens(step: 0.25))
        bench.zoom(to: 4, rate: 1)
        bench.run(.seconds(2))
        #expect(bench.samples.count > 50)
        for sample in bench.samples {
            #expect(near(sample.zoom.factor, exp2(sample.time / .seconds(1))))
        }
    }

    @Test func aLensThatRoundsIsAskedOnceForEachWish() {
        var bench = Bench(opticalMax: 2, lens: FakeLens(step: 0.25))
        for _ in 0..<5 { bench.zoom(to: 1.6) }
        #expect(bench.lens.requests == [1.6])
    }

    @Test func aSlowLensIsShownWhereItIsAndWhereItGoes() {
        var bench = Bench(opticalMax: 8, lens: FakeLens(speed: 2))
        let ticket = bench.zoom(to: 4)
        #expect(bench.model.awaits(ticket))
        bench.run(.seconds(0.5))
        #expect(near(bench.model.snapshot.factor, bench.lensFactor, within: 0.05))
        bench.run(.seconds(0.5))
        #expect(bench.states.map(\.zoom.ramping) == [true, false])
        #expect(bench.states.map(\.zoom.factor) == [1, 4])
        #expect(bench.states.allSatisfy { $0.zoom.target == 4 })
        #expect(20...30 ~= bench.samples.count)
        #expect(bench.samples.allSatisfy { 1...4 ~= $0.zoom.factor })
        #expect(bench.statuses(ticket) == [.done])
    }

    @Test func aLensIsSentElsewhereWhileItMoves() {
        var bench = Bench(opticalMax: 8, lens: FakeLens(speed: 1))
        let away = bench.zoom(to: 8)
        bench.run(.seconds(1))
        let back = bench.zoom(to: 1)
        bench.run(.milliseconds(1001))
        #expect(bench.factor == 1)
        #expect(bench.statuses(away) == [.superseded])
        #expect(bench.statuses(back) == [.done])
    }

    /// The crop of a zoom that is taken over on its way gives way only as fast as the lens catches up.
    @Test func aPinchThatTakesAMovingLensOverCausesNoJumpBack() {
        var bench = Bench(opticalMax: 2, lens: FakeLens(speed: 0.5))
        bench.zoom(to: 8)
        bench.run(.seconds(1))
        bench.pinch(.began)
        let seen = bench.factor
        bench.pinch(.changed, 1.05)
        bench.run(.seconds(1))
        #expect(near(bench.factor, 1.05 * seen))
        #expect(bench.states.filter { $0.time >= .seconds(1) }.allSatisfy { $0.zoom.factor >= seen - 1e-9 })
        #expect(
            bench.states.filter { $0.time >= .seconds(1) }.allSatisfy { $0.zoom.factor <= 1.05 * seen + 1e-9 }
        )
    }

    @Test func aPinchThatTakesAMovingLensOverStartsWhereTheLensReallyIs() {
        var bench = Bench(opticalMax: 8, lens: FakeLens(stopLatency: .milliseconds(20), speed: 4))
        bench.zoom(to: 8)
        bench.run(.milliseconds(312))
        bench.pinch(.began)
        bench.run(.milliseconds(50))
        let real = bench.lensFactor
        #expect(bench.factor == real)
        #expect(bench.model.runningGesture?.base == real)
        bench.pinch(.changed, 1)
        bench.run(.seconds(1))
        #expect(near(bench.factor, real))
    }
}
