import TestSupport
import Testing
import ZoomModel

/// Saved views, and a lens with another greatest factor.
struct SavedViewTests {
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
