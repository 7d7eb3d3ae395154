import TestSupport
import Testing
import ZoomModel

/// How often states and samples are published.
struct PublicationTests {
    private static let lenses = [
        FakeLens(), FakeLens(latency: .milliseconds(3)), FakeLens(latency: .milliseconds(40)),
        FakeLens(speed: 3),
        FakeLens(latency: .milliseconds(5), speed: 8), FakeLens(isBroken: true),
    ]

    /// The greatest number of states in any second.
    private func most(_ states: [ZoomHarness.State]) -> Int {
        states.indices.map { first in
            states[first...].prefix { $0.time < states[first].time + .seconds(1) }.count
        }.max() ?? 0
    }

    @Test(arguments: lenses) func aGesturePublishesAtMostSixtyStatesPerSecondAndAlwaysTheLastOne(
        lens: FakeLens
    ) {
        var harness = ZoomHarness(opticalMax: 3, lens: lens)
        harness.pinch(.began)
        for step in 1...1500 {
            harness.pinch(.changed, 1 + Double(step % 300) / 50)
            harness.run(.milliseconds(2))
        }
        // The beginning is published immediately.
        #expect(most(harness.states) <= 61)
        harness.pinch(.changed, 1.25)
        harness.run(.seconds(1.5))
        #expect(near(harness.factor, lens.isBroken ? 1 : 1.25))
        #expect(harness.states.last?.zoom == harness.model.snapshot)
    }

    @Test func withoutALensAGesturePublishesSixtyStatesPerSecond() {
        var harness = ZoomHarness()
        harness.pinch(.began)
        for step in 1...1000 {
            harness.pinch(.changed, 1 + Double(step) / 200)
            harness.run(.milliseconds(1))
        }
        #expect(58...61 ~= harness.states.count)
        #expect(58...61 ~= harness.gestures.count, "the state of the gesture has the same rate")
        #expect(harness.samples.isEmpty)
    }

    @Test func aSingleSampleIsPublishedAtOnce() {
        var harness = ZoomHarness()
        harness.pinch(.began)
        harness.run(.milliseconds(500))
        harness.pinch(.changed, 1.5)
        #expect(harness.states.last?.zoom.factor == 1.5)
        harness.pinch(.changed, 1.6)
        #expect(harness.states.last?.zoom.factor == 1.5)
        harness.run(.milliseconds(17))
        #expect(harness.states.last?.zoom.factor == 1.6)
    }

    @Test func theEndOfAGestureIsPublishedAtOnce() {
        var harness = ZoomHarness()
        harness.pinch(.began)
        harness.pinch(.changed, 1.5)
        harness.pinch(.ended, 1.6)
        #expect(harness.states.last?.zoom.factor == 1.6)
        harness.run(.seconds(3))
        #expect(harness.states.count == 2)
    }

    @Test func aCommandDuringAGestureIsPublishedAtOnce() {
        var harness = ZoomHarness(opticalMax: 8)
        harness.pinch(.began)
        harness.pinch(.changed, 1.5)
        harness.zoom(to: 4, by: "tablet")
        #expect(harness.states.last?.zoom.factor == 4)
        #expect(harness.states.last?.zoom.origin.client == "tablet")
    }

    @Test func aRampDuringARestingGesturePublishesLiveSamples() {
        var harness = ZoomHarness(opticalMax: 8, lens: FakeLens(latency: .milliseconds(1)))
        harness.pinch(.began)
        harness.zoom(to: 4, rate: 1, by: "tablet")
        harness.run(.milliseconds(1900))
        #expect(harness.states.count <= 2)
        #expect(harness.samples.count > 40)
    }
}
