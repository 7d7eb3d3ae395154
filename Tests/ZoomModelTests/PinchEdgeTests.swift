import TestSupport
import Testing
import ZoomModel

/// Pinches with missing, late or unusual messages.
struct PinchEdgeTests {
    var harness = ZoomHarness(opticalMax: 2)

    init() {
        harness.zoom(to: 2)
    }

    @Test mutating func changedWithoutASequenceIsAlwaysApplied() {
        harness.pinch(.began, seq: 9)
        harness.pinch(.changed, 2)
        #expect(near(harness.factor, 4))
        harness.pinch(.changed, 3, seq: 9)
        #expect(near(harness.factor, 4), "the last sequence is remembered")
    }

    /// Begin and end are never dropped: otherwise the gesture would run until its timeout.
    @Test(arguments: [PinchSample.Phase.ended, .cancelled])
    mutating func aLateEndEndsTheGestureWithoutMovingTheZoom(phase: PinchSample.Phase) {
        harness.pinch(.began, seq: 0)
        harness.pinch(.changed, 2, seq: 5)
        harness.pinch(phase, 3, seq: 5)
        #expect(harness.lastStatuses == [.done])
        #expect(near(harness.factor, 4))
        #expect(harness.model.runningGesture == nil)
    }

    @Test mutating func beganRestartsTheSequence() {
        harness.pinch(.began, seq: 100)
        harness.pinch(.changed, 2, seq: 101)
        harness.pinch(.began, seq: 0)
        harness.pinch(.changed, 1.5, seq: 1)
        #expect(near(harness.factor, 6))
    }

    @Test mutating func anIncrementalChangedWithoutBeganCausesNoJump() {
        harness.pinch(.changed, 3, mode: .incremental)
        #expect(harness.factor == 2)
        harness.pinch(.changed, 1.5, mode: .incremental)
        #expect(near(harness.factor, 3))
    }

    @Test(arguments: [(PinchSample.Phase.ended, false), (.cancelled, false), (.cancelled, true)])
    mutating func theEndOfAnUnknownGestureHasNoEffect(phase: PinchSample.Phase, revert: Bool) {
        let ramp = harness.zoom(to: 8, rate: 1, by: "tablet")
        harness.run(.milliseconds(500))
        let count = harness.states.count
        harness.pinch(phase, 4, revert: revert)
        #expect(harness.lastStatuses == [.done])
        #expect(harness.states.count == count)
        #expect(harness.gestures.isEmpty)
        harness.run(.seconds(2))
        #expect(harness.factor == 8)
        #expect(harness.statuses(ramp) == [.done])
        #expect(harness.states.last?.zoom.origin.client == "tablet")
    }

    @Test mutating func repeatedSamplesPreventTheTimeout() {
        harness.pinch(.began)
        for _ in 0..<10 {
            harness.run(.milliseconds(1900))
            harness.pinch(.changed, 1.5)
        }
        #expect(near(harness.factor, 3))
    }

    @Test mutating func gesturesOfTwoClientsWithTheSameNameAreSeparate() {
        harness.pinch(.began, gesture: "g", by: "phone")
        harness.pinch(.changed, 2, gesture: "g", by: "phone")
        harness.pinch(.ended, gesture: "g", by: "tablet")
        #expect(harness.model.runningGesture?.client == "phone")
    }

    @Test mutating func theOldestOfTooManyGesturesEnds() {
        for n in 0..<1000 {
            harness.pinch(.began, gesture: "g\(n)")
            harness.run(.milliseconds(1))
        }
        harness.pinch(.changed, 2, gesture: "g0")
        #expect(harness.factor == 2, "the oldest gesture has ended")
        harness.pinch(.changed, 2, gesture: "g999")
        #expect(near(harness.factor, 4), "the newest gesture is running")
        harness.run(.seconds(2))
        #expect(harness.model.runningGesture == nil)
    }

    @Test mutating func extremeScalesKeepTheZoomInItsRange() {
        harness.pinch(.began, .leastNonzeroMagnitude)
        for scale in [.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e200, 1e-200] {
            for mode in [PinchSample.Mode.cumulative, .incremental] {
                harness.pinch(.changed, scale, mode: mode)
                #expect(1...8 ~= harness.factor)
            }
        }
    }
}
