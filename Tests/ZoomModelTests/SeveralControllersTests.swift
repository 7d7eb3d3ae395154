import TestSupport
import Testing
import ZoomModel

/// Several controllers on one camera.
struct SeveralControllersTests {
    var harness = ZoomHarness(opticalMax: 2)

    @Test mutating func twoPinchesAtOnceMultiply() {
        harness.pinch(.began, gesture: "a", by: "a")
        harness.pinch(.began, gesture: "b", by: "b")
        harness.pinch(.changed, 2, gesture: "a", by: "a")
        #expect(near(harness.factor, 2))
        harness.pinch(.changed, 1.5, gesture: "b", by: "b")
        #expect(near(harness.factor, 3), "2 ÷ 1 × 1.5")
        harness.pinch(.changed, 3, gesture: "a", by: "a")
        #expect(near(harness.factor, 4.5), "3 ÷ 2 × 3")
        harness.pinch(.changed, 1, gesture: "b", by: "b")
        #expect(near(harness.factor, 3), "4.5 ÷ 1.5 × 1")
        harness.pinch(.ended, gesture: "b", by: "b")
        harness.pinch(.changed, 2, gesture: "a", by: "a")
        #expect(near(harness.factor, 2))
    }

    /// A `began` without a scale changes nothing, so the other pinch keeps its base and its overshoot.
    @Test mutating func beganRebasesNoOtherPinch() {
        harness.zoom(to: 2)
        harness.pinch(.began, gesture: "a", by: "a")
        harness.pinch(.changed, 8, gesture: "a", by: "a")
        harness.pinch(.began, gesture: "b", by: "b")
        harness.pinch(.changed, 3, gesture: "a", by: "a")
        #expect(near(harness.factor, 6), "2 × 3, not 8 ÷ 8 × 3")
    }

    @Test mutating func aPinchThatChangesNothingRebasesNoOtherPinch() {
        harness.zoom(to: 2)
        harness.pinch(.began, gesture: "a", by: "a")
        harness.pinch(.changed, 0.25, gesture: "a", by: "a")
        harness.pinch(.began, gesture: "b", by: "b")
        harness.pinch(.changed, 0.9, gesture: "b", by: "b")
        #expect(harness.factor == 1)
        harness.pinch(.changed, 0.75, gesture: "a", by: "a")
        #expect(near(harness.factor, 1.5), "2 × 0.75, not 1 ÷ 0.25 × 0.75")
    }

    @Test(arguments: [
        ZoomCommand.go(ZoomGoal(.factor(8))), .go(ZoomGoal(.factor(9), rate: 1)),
        .go(ZoomGoal(.by(1), anchor: Point(x: 0.2, y: 0.2))),
        .go(ZoomGoal(.position(1))),
        .move(velocity: 1, timeout: .seconds(1)), .stop, .moveView(.by(x: 0, y: 0)), .moveView(.at(.middle)),
        .show(factor: 8, center: .middle, rate: nil),
    ])
    mutating func aCommandThatChangesNothingRebasesNoPinch(command: ZoomCommand) {
        harness.zoom(to: 4)
        harness.pinch(.began)
        harness.pinch(.changed, 4)
        harness.send(command, by: "tablet")
        harness.run(.milliseconds(100))
        #expect(harness.factor == 8)
        harness.pinch(.changed, 1.5)
        #expect(near(harness.factor, 6), "4 × 1.5, not 8 ÷ 4 × 1.5")
    }

    @Test mutating func aReportOfTheSameFactorRebasesNoPinch() {
        harness.zoom(to: 4)
        harness.pinch(.began)
        harness.pinch(.changed, 4)
        harness.moveLens(to: 2, moving: true)
        harness.moveLens(to: 2)
        harness.pinch(.changed, 1.5)
        #expect(near(harness.factor, 6))
    }

    @Test mutating func anExternalMovementAfterAReportOfTheSameFactorRebasesAPinch() {
        harness = ZoomHarness(opticalMax: 8)
        harness.zoom(to: 4)
        harness.pinch(.began)
        harness.pinch(.changed, 4)
        harness.moveLens(to: 8, moving: true)
        harness.moveLens(to: 6, moving: true)
        harness.moveLens(to: 5)
        harness.pinch(.changed, 6)
        #expect(near(harness.factor, 7.5), "5 ÷ 4 × 6")
    }

    /// The command changes the target before the lens has reported anything.
    @Test mutating func aNewTargetRebasesAPinchWhileTheLensMoves() {
        harness = ZoomHarness(opticalMax: 8, lens: FakeLens(latency: .milliseconds(50)))
        harness.pinch(.began)
        harness.pinch(.changed, 4)
        harness.zoom(to: 2, by: "tablet")
        harness.run(.seconds(1))
        harness.pinch(.changed, 6)
        harness.run(.seconds(1))
        #expect(near(harness.factor, 3), "2 ÷ 4 × 6")
    }

    @Test mutating func liftedFingersDoNotStopARamp() {
        harness.pinch(.began)
        harness.pinch(.changed, 2)
        let ramp = harness.zoom(to: 8, rate: 1, by: "tablet")
        harness.run(.milliseconds(500))
        harness.pinch(.ended, 2)
        #expect(harness.model.runningGesture == nil)
        harness.run(.seconds(2))
        #expect(harness.factor == 8)
        #expect(harness.statuses(ramp) == [.done])
        #expect(harness.states.last?.zoom.origin == Origin(client: "tablet", kind: .command))
    }

    @Test mutating func aTimeoutOfAGestureDoesNotStopARamp() {
        harness.pinch(.began)
        let ramp = harness.zoom(to: 8, rate: 0.5, by: "tablet")
        harness.run(.seconds(6))
        #expect(harness.factor == 8)
        #expect(harness.statuses(ramp) == [.done])
        #expect(harness.lastGesture == nil)
    }

    @Test mutating func aChangedDuringARampContinuesFromThePresentFactor() {
        harness.pinch(.began)
        harness.pinch(.changed, 2)
        harness.zoom(to: 8, rate: 1, by: "tablet")
        harness.run(.milliseconds(1000))
        let seen = harness.factor
        harness.pinch(.changed, 2.2)
        #expect(near(harness.factor, seen * 1.1))
        harness.run(.seconds(1))
        #expect(near(harness.factor, seen * 1.1))
    }
}
