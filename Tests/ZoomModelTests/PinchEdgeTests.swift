import Testing
import ZoomModel

/// Gestures whose messages are missing, late, or not what one would expect.
struct PinchEdgeTests {
    var bench = Bench(opticalMax: 2)

    init() {
        bench.zoom(to: 2)
    }

    @Test(arguments: [4, 5]) mutating func aChangeThatIsNotNewerIsIgnored(seq: Int) {
        bench.pinch(.began, seq: 0)
        bench.pinch(.changed, 2, seq: 5)
        let count = bench.states.count
        bench.pinch(.changed, 3, seq: seq)
        #expect(bench.lastStatuses == [.superseded])
        #expect(near(bench.factor, 4))
        #expect(bench.states.count == count)
        bench.pinch(.changed, 1.5, seq: 6)
        #expect(near(bench.factor, 3))
    }

    @Test mutating func withoutNumbersEachChangeCounts() {
        bench.pinch(.began, seq: 9)
        bench.pinch(.changed, 2)
        #expect(near(bench.factor, 4))
        bench.pinch(.changed, 3, seq: 9)
        #expect(near(bench.factor, 4), "it remembers the last number")
    }

    /// Begin and end are never dropped: a gesture that nobody could end would go on for seconds.
    @Test(arguments: [PinchSample.Phase.ended, .cancelled(revert: false)])
    mutating func anEndThatIsNotNewerEndsTheGestureWithoutMovingTheZoom(phase: PinchSample.Phase) {
        bench.pinch(.began, seq: 0)
        bench.pinch(.changed, 2, seq: 5)
        bench.pinch(phase, 3, seq: 5)
        #expect(bench.lastStatuses == [.done])
        #expect(near(bench.factor, 4))
        #expect(bench.model.runningGesture == nil)
    }

    @Test mutating func aNewBeginningStartsTheNumbersAnew() {
        bench.pinch(.began, seq: 100)
        bench.pinch(.changed, 2, seq: 101)
        bench.pinch(.began, seq: 0)
        bench.pinch(.changed, 1.5, seq: 1)
        #expect(near(bench.factor, 6))
    }

    @Test(arguments: [3.0, 0.1, 1]) mutating func aChangeWithoutABeginningCausesNoJump(scale: Double) {
        bench.pinch(.changed, scale)
        #expect(bench.factor == 2)
        bench.pinch(.changed, 2 * scale)
        #expect(near(bench.factor, 4))
    }

    @Test mutating func aRelativeChangeWithoutABeginningCausesNoJump() {
        bench.pinch(.changed, 3, mode: .incremental)
        #expect(bench.factor == 2)
        bench.pinch(.changed, 1.5, mode: .incremental)
        #expect(near(bench.factor, 3))
    }

    @Test(arguments: [PinchSample.Phase.ended, .cancelled(revert: false), .cancelled(revert: true)])
    mutating func theEndOfAGestureThatNobodyBeganTouchesNothing(phase: PinchSample.Phase) {
        let ramp = bench.zoom(to: 8, rate: 1, by: "tablet")
        bench.run(.milliseconds(500))
        let count = bench.states.count
        bench.pinch(phase, 4)
        #expect(bench.lastStatuses == [.done])
        #expect(bench.states.count == count)
        #expect(bench.gestures.isEmpty)
        bench.run(.seconds(2))
        #expect(bench.factor == 8)
        #expect(bench.statuses(ramp) == [.done])
        #expect(bench.states.last?.zoom.origin.client == "tablet")
    }

    @Test(arguments: [300, 2000]) func aSilentGestureIsOver(milliseconds: Int) {
        var bench = Bench(
            .init(range: ZoomRange(min: 1, max: 8), gestureTimeout: .milliseconds(milliseconds)))
        bench.pinch(.began)
        bench.run(.milliseconds(100))
        bench.pinch(.changed, 2)
        bench.run(.milliseconds(milliseconds) - .nanoseconds(1))
        #expect(bench.model.runningGesture != nil)
        bench.run(.nanoseconds(1))
        #expect(bench.model.runningGesture == nil)
        #expect(bench.lastGesture == nil)
        #expect(bench.model.wake == nil)
        bench.pinch(.changed, 5)
        #expect(bench.factor == 2, "a change after the end jumped")
    }

    @Test mutating func aFingerThatLiesStillButSpeaksIsNotSilent() {
        bench.pinch(.began)
        for _ in 0..<10 {
            bench.run(.milliseconds(1900))
            bench.pinch(.changed, 1.5)
        }
        #expect(near(bench.factor, 3))
    }

    @Test mutating func twoClientsMayGiveTheirGesturesTheSameName() {
        bench.pinch(.began, gesture: "g", by: "phone")
        bench.pinch(.changed, 2, gesture: "g", by: "phone")
        bench.pinch(.ended, gesture: "g", by: "tablet")
        #expect(bench.model.runningGesture?.client == "phone")
    }

    @Test mutating func clientsThatBeginAndNeverEndAreForgotten() {
        for n in 0..<1000 {
            bench.pinch(.began, gesture: "g\(n)")
            bench.run(.milliseconds(1))
        }
        bench.pinch(.changed, 2, gesture: "g0")
        #expect(bench.factor == 2, "the oldest one is unknown again")
        bench.pinch(.changed, 2, gesture: "g999")
        #expect(near(bench.factor, 4), "the newest one isn't")
        bench.run(.seconds(2))
        #expect(bench.model.runningGesture == nil)
    }

    @Test mutating func extremeScalesKeepTheZoomInItsRange() {
        bench.pinch(.began, .leastNonzeroMagnitude)
        for scale in [.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e200, 1e-200] {
            for mode in [PinchSample.Mode.cumulative, .incremental] {
                bench.pinch(.changed, scale, mode: mode)
                #expect(1...8 ~= bench.factor)
            }
        }
    }
}
