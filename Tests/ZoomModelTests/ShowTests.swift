import Testing
import ZoomModel

/// Views that were kept, and a lens that reaches another factor by now.
struct ShowTests {
    @Test(arguments: [(1.0, 2.0), (2, 8), (8, 1.5), (4, 4)], [1.0, 2])
    func aViewIsShownAsItWas(factors: (from: Double, to: Double), opticalMax: Double) {
        var bench = Bench(opticalMax: opticalMax)
        bench.zoom(to: factors.to, anchor: Point(x: 0.1, y: 0.8))
        let kept = (factor: bench.model.factor, center: bench.model.center)
        bench.zoom(to: factors.from, anchor: Point(x: 0.9, y: 0.3))
        for rate in [nil, 2.0] {
            bench.send(.show(factor: kept.factor, center: kept.center, rate: rate))
            bench.run(.seconds(5))
            #expect(bench.lastStatuses == [.done])
            #expect(near(bench.model.factor, kept.factor) && near(bench.model.center, kept.center))
            bench.zoom(to: factors.from, anchor: Point(x: 0.9, y: 0.3))
        }
    }

    @Test func onTheWayTheMiddleOfTheViewGoesStraight() {
        var bench = Bench()
        bench.zoom(to: 2)
        let start = bench.model.center
        let goal = Point(x: 0.8, y: 0.4)
        bench.send(.show(factor: 6, center: goal, rate: 1))
        var last = start
        for _ in 0..<40 {
            bench.run(.milliseconds(40))
            let center = bench.model.center
            #expect(center.x >= last.x - 1e-9 && center.y <= last.y + 1e-9)
            // On the line between the two.
            let along = (center.x - start.x) / (goal.x - start.x)
            #expect(near(center.y, start.y + along * (goal.y - start.y), within: 1e-6))
            last = center
        }
        bench.run(.seconds(1))
        #expect(near(bench.model.center, goal))
    }

    @Test func whatCannotBeIsClamped() {
        var bench = Bench()
        bench.send(.show(factor: 20, center: .middle, rate: nil))
        #expect(bench.model.factor == 8 && bench.lastAnswers.last?.clamped == true)
    }

    @Test(arguments: [1e308, -1e308, 1e302, 1.5], [nil, 2.0])
    func aMiddleOutsideOfTheSceneIsAtItsEdge(place: Double, rate: Double?) {
        var bench = Bench()
        bench.zoom(to: 2)
        bench.send(.show(factor: 4, center: Point(x: place, y: 0.5), rate: rate))
        bench.run(.seconds(2))
        #expect(near(bench.model.center, Point(x: place > 0 ? 0.875 : 0.125, y: 0.5)))
        #expect(bench.lastAnswers.last?.clamped == true)
        bench.zoom(to: 1)
        #expect(bench.model.center == .middle)
    }

    @Test func aLensThatReachesLessHasTheRestCropped() {
        var bench = Bench(opticalMax: 4)
        bench.zoom(to: 6)
        bench.reachLens(2)
        bench.run(.seconds(1))
        #expect(near(bench.model.factor, 6) && near(bench.lensFactor, 2))
        bench.reachLens(4)
        bench.run(.seconds(1))
        #expect(near(bench.model.factor, 6) && near(bench.lensFactor, 4))
    }

    @Test func aRampGoesOnAndIsAnswered() {
        var bench = Bench(opticalMax: 4)
        let ramp = bench.zoom(to: 8, rate: 1)
        bench.run(.seconds(1))
        bench.reachLens(2)
        bench.run(.seconds(5))
        #expect(bench.statuses(ramp) == [.done] && near(bench.model.factor, 8))
    }

    @Test func fingersKeepTheirHold() {
        var bench = Bench(opticalMax: 4)
        bench.pinch(.began)
        bench.pinch(.changed, 3)
        bench.reachLens(1)
        bench.pinch(.changed, 3.5)
        #expect(near(bench.model.factor, 3.5) && near(bench.lensFactor, 1))
    }
}
