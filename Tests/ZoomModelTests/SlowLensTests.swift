import Testing
import ZoomModel

/// A camera that takes its time to be written to, or refuses, or that others move.
struct SlowLensTests {
    var bench = Bench(opticalMax: 8, lens: FakeLens(latency: .milliseconds(200)))

    @Test mutating func nothingIsSaidBeforeTheCameraDidIt() {
        let ticket = bench.zoom(to: 4)
        #expect(bench.model.awaits(ticket))
        bench.run(.milliseconds(199))
        #expect(bench.states.isEmpty && bench.samples.isEmpty)
        #expect(bench.statuses(ticket).isEmpty)
        bench.run(.milliseconds(1))
        #expect(bench.states.map(\.zoom.factor) == [4])
        #expect(bench.statuses(ticket) == [.done])
    }

    @Test mutating func commandsThatComeMeanwhileCollapseIntoTheNewest() {
        let tickets = (1...40).map { bench.zoom(to: 1 + Double($0) / 10) }
        bench.run(.seconds(5))
        #expect(bench.lens.requests == [1.1, 5])
        #expect(tickets.dropLast().allSatisfy { bench.statuses($0) == [.superseded] })
        #expect(tickets.last.map(bench.statuses) == [.done])
        #expect(bench.states.last?.zoom.factor == 5)
        #expect(bench.states.last?.zoom.target == 5)
        #expect(bench.states.last?.zoom.ramping == false)
        #expect(bench.states.count <= 2)
    }

    @Test mutating func theLastStateIsWhatWasReportedAndNotWhatWasAsked() {
        bench = Bench(
            .init(range: ZoomRange(min: 1, max: 8), opticalMax: 8), lens: FakeLens(latency: .milliseconds(50))
        )
        bench.zoom(to: 3)
        bench.run(.milliseconds(10))
        bench.zoom(to: 1)
        bench.run(.seconds(1))
        #expect(bench.states.last?.zoom.factor == bench.lensFactor)
        #expect(bench.lensFactor == 1)
    }

    /// Whoever looks on sees the zoom follow the fingers, though each write takes a while.
    @Test mutating func aPinchIsSeenWhileItGoesOn() {
        bench = Bench(opticalMax: 8, lens: FakeLens(latency: .milliseconds(50)))
        bench.pinch(.began)
        for step in 1...200 {
            bench.pinch(.changed, 1 + Double(step) / 100)
            bench.run(.milliseconds(10))
        }
        #expect(35...45 ~= bench.states.count)
        let factors = bench.states.map(\.zoom.factor)
        #expect(factors == factors.sorted())
        bench.pinch(.ended)
        bench.run(.seconds(1))
        #expect(bench.states.last?.zoom.factor == 3)
    }

    @Test mutating func aRampIsSeenWhileItGoesOn() {
        bench = Bench(opticalMax: 4, lens: FakeLens(latency: .milliseconds(50)))
        bench.zoom(to: 8, rate: 1)
        bench.run(.seconds(4))
        #expect(40...90 ~= bench.samples.count)
        #expect(bench.states.last?.zoom.factor == 8)
        let factors = bench.samples.map(\.zoom.factor)
        #expect(factors == factors.sorted())
    }

    @Test mutating func whatTheLensRefusesIsAnsweredAndTheZoomStaysWhereItIs() {
        bench = Bench(opticalMax: 2, lens: FakeLens(isBroken: true))
        let ticket = bench.zoom(to: 5)
        #expect(bench.statuses(ticket) == [.failed])
        #expect(bench.states.last?.zoom.factor == 1)
        #expect(bench.states.last?.zoom.target == 1)
        #expect(bench.model.isSettled)
        bench.lens.isBroken = false
        bench.zoom(to: 5)
        #expect(bench.lastStatuses == [.done])
        #expect(bench.factor == 5)
    }

    @Test mutating func aRampThatTheLensRefusesIsOver() {
        bench = Bench(opticalMax: 2, lens: FakeLens(latency: .milliseconds(20), isBroken: true))
        let ramp = bench.zoom(to: 8, rate: 1)
        bench.run(.seconds(10))
        #expect(bench.statuses(ramp) == [.failed])
        #expect(bench.factor == 1)
        #expect(bench.states.last?.zoom.ramping == false)
        #expect(bench.model.wake == nil)
    }

    @Test mutating func aPinchThatTheLensRefusesIsAnsweredEachTime() {
        bench = Bench(opticalMax: 2, lens: FakeLens(isBroken: true))
        bench.pinch(.began)
        bench.pinch(.changed, 1.5)
        #expect(bench.lastStatuses == [.failed])
        bench.pinch(.changed, 1.6)
        #expect(bench.lastStatuses == [.failed])
        bench.pinch(.ended)
        #expect(bench.factor == 1)
        #expect(bench.model.runningGesture == nil)
    }
}
