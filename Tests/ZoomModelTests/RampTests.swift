import Glibc
import Testing
import ZoomModel

/// A zoom that takes its time.
struct RampTests {
    var bench = Bench()

    @Test(arguments: [(1.0, 4.0, 4.0), (8, 1, 2), (1, 8, 0.25), (2, 3, 0.7), (5, 4.999, 0.001), (1, 8, 1000)])
    mutating func itIsAtItsTargetExactlyWhenItsOctavesAreOver(from: Double, to: Double, rate: Double) {
        bench.zoom(to: from)
        let ticket = bench.zoom(to: to, rate: rate)
        let time = Duration.seconds(abs(log2(to / from)) / rate)
        bench.run(time - .nanoseconds(1))
        #expect(bench.statuses(ticket).isEmpty)
        #expect(bench.model.snapshot.ramping)
        bench.run(.nanoseconds(1))
        #expect(bench.factor == to)
        #expect(bench.statuses(ticket) == [.done])
        #expect(bench.states.last?.zoom.factor == to)
        #expect(bench.states.last?.zoom.ramping == false)
        #expect(bench.model.wake == nil)
    }

    @Test(arguments: [1, -1]) mutating func itIsEvenInOctaves(direction: Double) {
        bench.zoom(to: direction > 0 ? 1 : 8)
        let start = bench.time
        let from = bench.factor
        bench.zoom(to: direction > 0 ? 8 : 1, rate: 1.5)
        bench.run(.seconds(2))
        #expect(bench.samples.count > 50)
        for sample in bench.samples {
            let octaves = 1.5 * ((sample.time - start) / .seconds(1))
            #expect(near(sample.zoom.factor, from * exp2(direction * octaves)))
        }
    }

    @Test mutating func stateTellsTheStartAndTheEndAndSamplesTheWay() {
        bench.zoom(to: 4, rate: 1)
        #expect(bench.states.count == 1)
        #expect(bench.states[0].zoom.ramping)
        #expect((bench.states[0].zoom.factor, bench.states[0].zoom.target) == (1, 4))
        bench.run(.seconds(3))
        #expect(bench.states.map(\.zoom.factor) == [1, 4])
        #expect(bench.samples.allSatisfy { $0.zoom.target == 4 && $0.zoom.ramping })
    }

    @Test(arguments: [30.0, 10, 7, 45, 60]) func samplesComeAtTheLiveRate(rate: Double) {
        var bench = Bench(.init(range: ZoomRange(min: 1, max: 8), liveRate: rate))
        bench.zoom(to: 8, rate: 1.5)
        bench.run(.seconds(2))
        #expect(Int(2 * rate) - 2...Int(2 * rate) ~= bench.samples.count)
    }

    @Test mutating func aLaterCommandTakesItsPlaceAndItsAskerIsTold() {
        let ramp = bench.zoom(to: 8, rate: 0.1)
        bench.run(.milliseconds(500))
        let jump = bench.zoom(to: 2, by: "tablet")
        #expect(bench.statuses(ramp) == [.superseded])
        #expect(bench.statuses(jump) == [.done])
        bench.run(.seconds(60))
        #expect(bench.factor == 2)
        #expect(bench.statuses(ramp) == [.superseded])
        #expect(bench.states.last?.zoom.origin.client == "tablet")
    }

    @Test mutating func aRampThatTakesTheRoomOfAnotherGoesOnFromWhereThatIs() {
        bench.zoom(to: 8, rate: 1)
        bench.run(.milliseconds(1009))
        bench.zoom(to: 1, rate: 1)
        bench.run(.milliseconds(1008))
        #expect(bench.model.snapshot.ramping)
        bench.run(.milliseconds(1))
        #expect(bench.factor == 1)
        #expect(bench.samples.allSatisfy { $0.zoom.factor <= exp2(1.0091) })
    }

    /// A slider that is dragged sends a new ramp more often than a ramp is carried on.
    @Test mutating func rampsThatFollowEachOtherQuicklyStillGetSomewhere() {
        for _ in 0..<100 {
            bench.zoom(to: 8, rate: 2)
            bench.run(.milliseconds(10))
        }
        #expect(exp2(1.96)...4 ~= bench.factor)
    }

    @Test mutating func aRampToWhereTheZoomIsEndsAtOnce() {
        bench.zoom(to: 1, rate: 0.5)
        #expect(bench.lastStatuses == [.done])
        #expect(bench.model.isSettled)
    }

    @Test(arguments: [(1e-9, 0.001), (1e9, 1000)])
    mutating func aRateBeyondWhatIsPossibleIsClampedAndTheAnswerSaysSo(rate: Double, possible: Double) {
        let ticket = bench.zoom(to: 2, rate: rate)
        #expect(bench.model.awaits(ticket) && bench.model.awaitedIsClamped)
        bench.run(.seconds(1 / possible))
        #expect(bench.factor == 2)
        #expect(bench.answers[ticket] == [ZoomAnswer(.done, clamped: true)])
    }

    @Test mutating func anAnchoredRampKeepsItsPointAllTheWay() {
        bench.zoom(to: 2.5)
        let anchor = Point(x: 0.2, y: 0.6)
        let held = scenePoint(at: anchor, in: bench.model.snapshot)
        bench.zoom(to: 8, rate: 2, anchor: anchor)
        bench.run(.seconds(2))
        #expect(bench.samples.count > 10)
        for sample in bench.samples + bench.states.suffix(1) {
            #expect(near(scenePoint(at: anchor, in: sample.zoom), held))
        }
    }
}
