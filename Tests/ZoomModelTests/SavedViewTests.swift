import TestSupport
import Testing
import ZoomModel

/// Saved views, and a lens with another greatest factor.
struct SavedViewTests {
    @Test(arguments: [(1.0, 2.0), (2, 8), (8, 1.5), (4, 4)], [1.0, 2])
    func aSavedViewIsShown(factors: (from: Double, to: Double), opticalMax: Double) {
        var harness = ZoomHarness(opticalMax: opticalMax)
        harness.zoom(to: factors.to, anchor: Point(x: 0.1, y: 0.8))
        let kept = (factor: harness.model.factor, center: harness.model.center)
        harness.zoom(to: factors.from, anchor: Point(x: 0.9, y: 0.3))
        for rate in [nil, 2.0] {
            harness.send(.show(factor: kept.factor, center: kept.center, rate: rate))
            harness.run(.seconds(5))
            #expect(harness.lastStatuses == [.done])
            #expect(near(harness.model.factor, kept.factor) && near(harness.model.center, kept.center))
            harness.zoom(to: factors.from, anchor: Point(x: 0.9, y: 0.3))
        }
    }

    @Test func theCenterMovesOnAStraightLine() {
        var harness = ZoomHarness()
        harness.zoom(to: 2)
        let start = harness.model.center
        let goal = Point(x: 0.8, y: 0.4)
        harness.send(.show(factor: 6, center: goal, rate: 1))
        var last = start
        for _ in 0..<40 {
            harness.run(.milliseconds(40))
            let center = harness.model.center
            #expect(center.x >= last.x - 1e-9 && center.y <= last.y + 1e-9)
            // On the line between start and goal.
            let along = (center.x - start.x) / (goal.x - start.x)
            #expect(near(center.y, start.y + along * (goal.y - start.y), within: 1e-6))
            last = center
        }
        harness.run(.seconds(1))
        #expect(near(harness.model.center, goal))
    }

    @Test func aFactorOutOfRangeIsClamped() {
        var harness = ZoomHarness()
        harness.send(.show(factor: 20, center: .middle, rate: nil))
        #expect(harness.model.factor == 8 && harness.lastAnswers.last?.clamped == true)
    }

    @Test(arguments: [1e308, -1e308, 1e302, 1.5], [nil, 2.0])
    func aCenterOutsideTheSceneIsClamped(place: Double, rate: Double?) {
        var harness = ZoomHarness()
        harness.zoom(to: 2)
        harness.send(.show(factor: 4, center: Point(x: place, y: 0.5), rate: rate))
        harness.run(.seconds(2))
        #expect(near(harness.model.center, Point(x: place > 0 ? 0.875 : 0.125, y: 0.5)))
        #expect(harness.lastAnswers.last?.clamped == true)
        harness.zoom(to: 1)
        #expect(harness.model.center == .middle)
    }

    @Test func aSmallerOpticalRangeIsCompensatedByCropping() {
        var harness = ZoomHarness(opticalMax: 4)
        harness.zoom(to: 6)
        harness.reachLens(2)
        harness.run(.seconds(1))
        #expect(near(harness.model.factor, 6) && near(harness.lensFactor, 2))
        harness.reachLens(4)
        harness.run(.seconds(1))
        #expect(near(harness.model.factor, 6) && near(harness.lensFactor, 4))
    }

    @Test func aRampContinuesWithAnotherOpticalRange() {
        var harness = ZoomHarness(opticalMax: 4)
        let ramp = harness.zoom(to: 8, rate: 1)
        harness.run(.seconds(1))
        harness.reachLens(2)
        harness.run(.seconds(5))
        #expect(harness.statuses(ramp) == [.done] && near(harness.model.factor, 8))
    }

    @Test func aPinchContinuesWithAnotherOpticalRange() {
        var harness = ZoomHarness(opticalMax: 4)
        harness.pinch(.began)
        harness.pinch(.changed, 3)
        harness.reachLens(1)
        harness.pinch(.changed, 3.5)
        #expect(near(harness.model.factor, 3.5) && near(harness.lensFactor, 1))
    }
}
