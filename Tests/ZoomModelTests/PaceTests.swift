import Testing
import ZoomModel

/// How often others hear of it.
struct PaceTests {
    private static let lenses = [
        FakeLens(), FakeLens(latency: .milliseconds(3)), FakeLens(latency: .milliseconds(40)),
        FakeLens(speed: 3),
        FakeLens(latency: .milliseconds(5), speed: 8), FakeLens(isBroken: true),
    ]

    /// The most states in any second.
    private func most(_ states: [Bench.State]) -> Int {
        states.indices.map { first in
            states[first...].prefix { $0.time < states[first].time + .seconds(1) }.count
        }.max() ?? 0
    }

    @Test(arguments: lenses) func aGestureIsAtMostSixtyStatesASecondAndTheLastOneAlways(lens: FakeLens) {
        var bench = Bench(opticalMax: 3, lens: lens)
        bench.pinch(.began)
        for step in 1...1500 {
            bench.pinch(.changed, 1 + Double(step % 300) / 50)
            bench.run(.milliseconds(2))
        }
        // The beginning is told at once.
        #expect(most(bench.states) <= 61)
        bench.pinch(.changed, 1.25)
        bench.run(.seconds(1.5))
        #expect(near(bench.factor, lens.isBroken ? 1 : 1.25))
        #expect(bench.states.last?.zoom == bench.model.snapshot)
    }

    @Test func withoutALensAGestureIsSixtyStatesASecond() {
        var bench = Bench()
        bench.pinch(.began)
        for step in 1...1000 {
            bench.pinch(.changed, 1 + Double(step) / 200)
            bench.run(.milliseconds(1))
        }
        #expect(58...61 ~= bench.states.count)
        #expect(58...61 ~= bench.gestures.count, "and so is the gesture itself")
        #expect(bench.samples.isEmpty)
    }

    @Test func aSampleThatComesAloneIsToldAtOnce() {
        var bench = Bench()
        bench.pinch(.began)
        bench.run(.milliseconds(500))
        bench.pinch(.changed, 1.5)
        #expect(bench.states.last?.zoom.factor == 1.5)
        bench.pinch(.changed, 1.6)
        #expect(bench.states.last?.zoom.factor == 1.5)
        bench.run(.milliseconds(17))
        #expect(bench.states.last?.zoom.factor == 1.6)
    }

    @Test func theEndIsToldAtOnce() {
        var bench = Bench()
        bench.pinch(.began)
        bench.pinch(.changed, 1.5)
        bench.pinch(.ended, 1.6)
        #expect(bench.states.last?.zoom.factor == 1.6)
        bench.run(.seconds(3))
        #expect(bench.states.count == 2)
    }

    @Test func aCommandDuringAGestureIsToldAtOnce() {
        var bench = Bench(opticalMax: 8)
        bench.pinch(.began)
        bench.pinch(.changed, 1.5)
        bench.zoom(to: 4, by: "tablet")
        #expect(bench.states.last?.zoom.factor == 4)
        #expect(bench.states.last?.zoom.origin.client == "tablet")
    }

    @Test func aRampWhileSomebodysFingersRestIsStillSamples() {
        var bench = Bench(opticalMax: 8, lens: FakeLens(latency: .milliseconds(1)))
        bench.pinch(.began)
        bench.zoom(to: 4, rate: 1, by: "tablet")
        bench.run(.milliseconds(1900))
        #expect(bench.states.count <= 2)
        #expect(bench.samples.count > 40)
    }
}
