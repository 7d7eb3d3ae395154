import Glibc
import TestSupport
import Testing
import ZoomModel

/// Zooming at a rate.
struct RampTests {
    var harness = ZoomHarness()

    @Test(arguments: [(1.0, 4.0, 4.0), (8, 1, 2), (1, 8, 0.25), (2, 3, 0.7), (5, 4.999, 0.001), (1, 8, 1000)])
    mutating func aRampEndsExactlyAtItsTargetAndTime(from: Double, to: Double, rate: Double) {
        harness.zoom(to: from)
        let ticket = harness.zoom(to: to, rate: rate)
        let time = Duration.seconds(abs(log2(to / from)) / rate)
        harness.run(time - .nanoseconds(1))
        #expect(harness.statuses(ticket).isEmpty)
        #expect(harness.model.snapshot.ramping)
        harness.run(.nanoseconds(1))
        #expect(harness.factor == to)
        #expect(harness.statuses(ticket) == [.done])
        #expect(harness.states.last?.zoom.factor == to)
        #expect(harness.states.last?.zoom.ramping == false)
        #expect(harness.model.wake == nil)
    }

    /// A command that is carried out late: the ramp is where it would be if it were not.
    @Test mutating func aRampThatBeganBeforeIsEvenFromThere() {
        harness.run(.milliseconds(300))
        let late = Duration.milliseconds(250)
        let ticket = harness.send(
            .go(ZoomGoal(.factor(4), rate: 1)), from: harness.instant(harness.time - late))
        let start = harness.time - late
        harness.run(.seconds(2) - late - .nanoseconds(1))
        #expect(harness.samples.count > 40)
        for sample in harness.samples {
            #expect(near(sample.zoom.factor, exp2((sample.time - start) / .seconds(1))))
        }
        #expect(harness.statuses(ticket).isEmpty)
        harness.run(.nanoseconds(1))
        #expect(harness.factor == 4 && harness.statuses(ticket) == [.done])
    }

    @Test(arguments: [1, -1]) mutating func aRampIsEvenInOctaves(direction: Double) {
        harness.zoom(to: direction > 0 ? 1 : 8)
        let start = harness.time
        let from = harness.factor
        harness.zoom(to: direction > 0 ? 8 : 1, rate: 1.5)
        harness.run(.seconds(2))
        #expect(harness.samples.count > 50)
        for sample in harness.samples {
            let octaves = 1.5 * ((sample.time - start) / .seconds(1))
            #expect(near(sample.zoom.factor, from * exp2(direction * octaves)))
        }
    }

    @Test(arguments: [30.0, 10, 7, 45, 60]) func liveSamplesArePublishedAtTheLiveRate(rate: Double) {
        var harness = ZoomHarness(.init(range: 1...8, liveRate: rate))
        harness.zoom(to: 8, rate: 1.5)
        harness.run(.seconds(2))
        #expect(Int(2 * rate) - 2...Int(2 * rate) ~= harness.samples.count)
    }

    @Test mutating func aRampStartsFromTheFactorOfTheRampThatItReplaces() {
        harness.zoom(to: 8, rate: 1)
        harness.run(.milliseconds(1009))
        harness.zoom(to: 1, rate: 1)
        harness.run(.milliseconds(1008))
        #expect(harness.model.snapshot.ramping)
        harness.run(.milliseconds(1))
        #expect(harness.factor == 1)
        #expect(harness.samples.allSatisfy { $0.zoom.factor <= exp2(1.0091) })
    }

    /// A dragged slider sends new ramps faster than the tick rate.
    @Test mutating func rampsInQuickSuccessionMakeProgress() {
        for _ in 0..<100 {
            harness.zoom(to: 8, rate: 2)
            harness.run(.milliseconds(10))
        }
        #expect(exp2(1.96)...4 ~= harness.factor)
    }

    @Test(arguments: [(1e-9, 0.001), (1e9, 1000)])
    mutating func aRateOutOfRangeIsClamped(rate: Double, possible: Double) {
        let ticket = harness.zoom(to: 2, rate: rate)
        #expect(harness.model.awaits(ticket) && harness.model.awaitedIsClamped)
        harness.run(.seconds(1 / possible))
        #expect(harness.factor == 2)
        #expect(harness.answers[ticket] == [ZoomAnswer(.done, clamped: true)])
    }
}
