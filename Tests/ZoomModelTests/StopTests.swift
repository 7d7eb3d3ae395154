import Glibc
import TestSupport
import Testing
import ZoomModel

/// Stopping where the lens really is.
struct StopTests {
    @Test func stopCancelsAWrite() {
        var harness = ZoomHarness(
            opticalMax: 8, lens: FakeLens(latency: .milliseconds(200), stopLatency: .milliseconds(30)))
        harness.zoom(to: 8)
        harness.run(.milliseconds(100))
        let stop = harness.send(.stop)
        #expect(harness.lens.stops == 1)
        #expect(harness.model.awaits(stop), "the report of the lens is outstanding")
        #expect(harness.states.isEmpty)
        harness.run(.seconds(1))
        #expect(harness.lensFactor == 1)
        #expect(harness.states.map(\.zoom.factor) == [1])
        #expect(harness.states.map(\.zoom.target) == [1])
        #expect(harness.statuses(stop) == [.done])
    }

    @Test func aSecondStopWaitsForTheLens() {
        var harness = ZoomHarness(opticalMax: 8, lens: FakeLens(stopLatency: .milliseconds(50), speed: 1))
        harness.zoom(to: 8)
        harness.run(.milliseconds(500))
        let first = harness.send(.stop)
        let second = harness.send(.stop)
        harness.run(.seconds(1))
        #expect(harness.lens.stops == 1)
        #expect(harness.statuses(first) == [.superseded])
        #expect(harness.statuses(second) == [.done])
        #expect(harness.states.last?.zoom.target == harness.lensFactor)
    }

    /// A command between a stop and its report is newer than the stop.
    @Test(arguments: [2.0, 8, 1.2]) func aCommandAfterAStopIsNotLost(factor: Double) {
        var harness = ZoomHarness(opticalMax: 2, lens: FakeLens(stopLatency: .milliseconds(50), speed: 1))
        harness.zoom(to: 4)
        harness.run(.milliseconds(990))
        harness.send(.stop)
        harness.lens.move(to: 2, at: harness.now)
        let ticket = harness.zoom(to: factor)
        harness.run(.seconds(3))
        #expect(near(harness.factor, factor))
        #expect(harness.statuses(ticket) == [.done])
        #expect(harness.states.last?.zoom.target == factor)
    }

    @Test func aRampAfterAStopIsNotLost() {
        var harness = ZoomHarness(opticalMax: 2, lens: FakeLens(stopLatency: .milliseconds(50), speed: 1))
        harness.zoom(to: 2)
        harness.run(.milliseconds(500))
        harness.send(.stop)
        harness.zoom(to: 4, rate: 0.5)
        harness.run(.seconds(5))
        #expect(near(harness.factor, 4))
        #expect(harness.states.last?.zoom.target == 4)
    }
}
