import Glibc
import Testing
import ZoomModel

/// Halting where the lens really is.
struct StopTests {
    @Test func itHaltsARampWhereItIs() {
        var bench = Bench(opticalMax: 2)
        let ramp = bench.zoom(to: 8, rate: 1)
        bench.run(.milliseconds(1700))
        let seen = bench.factor
        let stop = bench.send(.stop)
        #expect(bench.factor == seen)
        #expect(bench.states.last?.zoom.target == seen)
        #expect(bench.states.last?.zoom.ramping == false)
        #expect(bench.statuses(ramp) == [.superseded])
        #expect(bench.statuses(stop) == [.done])
        bench.run(.seconds(10))
        #expect(bench.factor == seen)
    }

    @Test func aMovingLensHaltsWhereItReallyIs() {
        var bench = Bench(opticalMax: 8, lens: FakeLens(speed: 1))
        let jump = bench.zoom(to: 8)
        bench.run(.milliseconds(1505))
        let stop = bench.send(.stop)
        #expect(near(bench.factor, exp2(1.505)), "not where it was last seen, a moment ago")
        #expect(bench.states.last?.zoom.factor == bench.lensFactor)
        #expect(bench.states.last?.zoom.target == bench.lensFactor)
        #expect(bench.statuses(jump) == [.superseded])
        #expect(bench.statuses(stop) == [.done])
    }

    @Test func aWriteUnderWayIsCalledOff() {
        var bench = Bench(
            opticalMax: 8, lens: FakeLens(latency: .milliseconds(200), stopLatency: .milliseconds(30)))
        bench.zoom(to: 8)
        bench.run(.milliseconds(100))
        let stop = bench.send(.stop)
        #expect(bench.lens.stops == 1)
        #expect(bench.model.awaits(stop), "the lens has not said where it is")
        #expect(bench.states.isEmpty)
        bench.run(.seconds(1))
        #expect(bench.lensFactor == 1)
        #expect(bench.states.map(\.zoom.factor) == [1])
        #expect(bench.states.map(\.zoom.target) == [1])
        #expect(bench.statuses(stop) == [.done])
    }

    @Test func atRestItChangesNothing() {
        var bench = Bench(opticalMax: 2)
        bench.zoom(to: 3)
        bench.send(.stop)
        #expect(bench.lastStatuses == [.done])
        #expect(bench.factor == 3)
        #expect(bench.lens.stops == 0)
    }

    @Test func aSecondStopWaitsForTheLensToo() {
        var bench = Bench(opticalMax: 8, lens: FakeLens(stopLatency: .milliseconds(50), speed: 1))
        bench.zoom(to: 8)
        bench.run(.milliseconds(500))
        let first = bench.send(.stop)
        let second = bench.send(.stop)
        bench.run(.seconds(1))
        #expect(bench.lens.stops == 1)
        #expect(bench.statuses(first) == [.superseded])
        #expect(bench.statuses(second) == [.done])
        #expect(bench.states.last?.zoom.target == bench.lensFactor)
    }

    /// What is asked between the word to stop and its report is newer than the stop.
    @Test(arguments: [2.0, 8, 1.2]) func aCommandAfterAStopIsNotLost(factor: Double) {
        var bench = Bench(opticalMax: 2, lens: FakeLens(stopLatency: .milliseconds(50), speed: 1))
        bench.zoom(to: 4)
        bench.run(.milliseconds(990))
        bench.send(.stop)
        bench.lens.move(to: 2, at: bench.now)
        let ticket = bench.zoom(to: factor)
        bench.run(.seconds(3))
        #expect(near(bench.factor, factor))
        #expect(bench.statuses(ticket) == [.done])
        #expect(bench.states.last?.zoom.target == factor)
    }

    @Test func aRampAfterAStopIsNotLost() {
        var bench = Bench(opticalMax: 2, lens: FakeLens(stopLatency: .milliseconds(50), speed: 1))
        bench.zoom(to: 2)
        bench.run(.milliseconds(500))
        bench.send(.stop)
        bench.zoom(to: 4, rate: 0.5)
        bench.run(.seconds(5))
        #expect(near(bench.factor, 4))
        #expect(bench.states.last?.zoom.target == 4)
    }
}
