import TestSupport
import Testing
import ZoomModel

/// A lens with slow or failing requests.
struct SlowLensTests {
    var harness = ZoomHarness(opticalMax: 8, lens: FakeLens(latency: .milliseconds(200)))

    @Test mutating func nothingIsPublishedBeforeTheLensReports() {
        let ticket = harness.zoom(to: 4)
        #expect(harness.model.awaits(ticket))
        harness.run(.milliseconds(199))
        #expect(harness.states.isEmpty && harness.samples.isEmpty)
        #expect(harness.statuses(ticket).isEmpty)
        harness.run(.milliseconds(1))
        #expect(harness.states.map(\.zoom.factor) == [4])
        #expect(harness.statuses(ticket) == [.done])
    }

    @Test mutating func theLastStateIsWhatWasReported() {
        harness = ZoomHarness(
            .init(range: 1...8, opticalMax: 8), lens: FakeLens(latency: .milliseconds(50))
        )
        harness.zoom(to: 3)
        harness.run(.milliseconds(10))
        harness.zoom(to: 1)
        harness.run(.seconds(1))
        #expect(harness.states.last?.zoom.factor == harness.lensFactor)
        #expect(harness.lensFactor == 1)
    }

    /// States follow the fingers although each write takes time.
    @Test mutating func aPinchPublishesStatesDespiteASlowLens() {
        harness = ZoomHarness(opticalMax: 8, lens: FakeLens(latency: .milliseconds(50)))
        harness.pinch(.began)
        for step in 1...200 {
            harness.pinch(.changed, 1 + Double(step) / 100)
            harness.run(.milliseconds(10))
        }
        #expect(35...45 ~= harness.states.count)
        let factors = harness.states.map(\.zoom.factor)
        #expect(factors == factors.sorted())
        harness.pinch(.ended)
        harness.run(.seconds(1))
        #expect(harness.states.last?.zoom.factor == 3)
    }

    @Test mutating func aRampPublishesLiveSamplesDespiteASlowLens() {
        harness = ZoomHarness(opticalMax: 4, lens: FakeLens(latency: .milliseconds(50)))
        harness.zoom(to: 8, rate: 1)
        harness.run(.seconds(4))
        #expect(40...90 ~= harness.samples.count)
        #expect(harness.states.last?.zoom.factor == 8)
        let factors = harness.samples.map(\.zoom.factor)
        #expect(factors == factors.sorted())
    }

    @Test mutating func aFailedRequestKeepsTheZoom() {
        harness = ZoomHarness(opticalMax: 2, lens: FakeLens(isBroken: true))
        let ticket = harness.zoom(to: 5)
        #expect(harness.statuses(ticket) == [.failed])
        #expect(harness.states.last?.zoom.factor == 1)
        #expect(harness.states.last?.zoom.target == 1)
        #expect(harness.model.isSettled)
        harness.lens.isBroken = false
        harness.zoom(to: 5)
        #expect(harness.lastStatuses == [.done])
        #expect(harness.factor == 5)
    }

    @Test mutating func aRampEndsWhenTheLensFails() {
        harness = ZoomHarness(opticalMax: 2, lens: FakeLens(latency: .milliseconds(20), isBroken: true))
        let ramp = harness.zoom(to: 8, rate: 1)
        harness.run(.seconds(10))
        #expect(harness.statuses(ramp) == [.failed])
        #expect(harness.factor == 1)
        #expect(harness.states.last?.zoom.ramping == false)
        #expect(harness.model.wake == nil)
    }

    @Test mutating func eachSampleIsAnsweredWhenTheLensFails() {
        harness = ZoomHarness(opticalMax: 2, lens: FakeLens(isBroken: true))
        harness.pinch(.began)
        harness.pinch(.changed, 1.5)
        #expect(harness.lastStatuses == [.failed])
        harness.pinch(.changed, 1.6)
        #expect(harness.lastStatuses == [.failed])
        harness.pinch(.ended)
        #expect(harness.factor == 1)
        #expect(harness.model.runningGesture == nil)
    }
}
