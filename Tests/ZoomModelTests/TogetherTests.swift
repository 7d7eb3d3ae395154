import Testing
import ZoomModel

/// Several controllers on one camera.
struct TogetherTests {
    var bench = Bench(opticalMax: 2)

    @Test mutating func aPinchGoesOnFromWhereSomebodyElseHasZoomed() {
        bench.pinch(.began)
        bench.pinch(.changed, 2)
        bench.zoom(to: 3, by: "tablet")
        bench.pinch(.changed, 2)
        #expect(bench.factor == 3, "the pinch jumped back")
        bench.pinch(.changed, 2.5)
        #expect(near(bench.factor, 3.75))
        bench.pinch(.ended)
        #expect(near(bench.factor, 3.75))
    }

    @Test mutating func everybodySeesTheNewBaseAtOnce() {
        bench.pinch(.began)
        bench.pinch(.changed, 2)
        bench.run(.seconds(1))
        bench.zoom(to: 3, by: "tablet")
        #expect(bench.lastGesture == "g of phone: 1.5 × 2.0")
    }

    @Test mutating func aPinchBeyondTheEndGoesOnFromWhereSomebodyElseHasZoomed() {
        bench.pinch(.began)
        bench.pinch(.changed, 16)
        bench.zoom(to: 4, by: "tablet")
        bench.pinch(.changed, 20)
        #expect(near(bench.factor, 5), "4 ÷ 16 × 20")
    }

    @Test mutating func aRelativeStepOfSomebodyElseJoinsThePinch() {
        bench.pinch(.began)
        bench.pinch(.changed, 2)
        bench.send(.go(to: .by(1.5), rate: nil, anchor: nil), by: "tablet")
        bench.pinch(.changed, 3)
        #expect(near(bench.factor, 4.5))
    }

    @Test mutating func twoPinchesAtOnceMultiply() {
        bench.pinch(.began, gesture: "a", by: "a")
        bench.pinch(.began, gesture: "b", by: "b")
        bench.pinch(.changed, 2, gesture: "a", by: "a")
        #expect(near(bench.factor, 2))
        bench.pinch(.changed, 1.5, gesture: "b", by: "b")
        #expect(near(bench.factor, 3), "2 ÷ 1 × 1.5")
        bench.pinch(.changed, 3, gesture: "a", by: "a")
        #expect(near(bench.factor, 4.5), "3 ÷ 2 × 3")
        bench.pinch(.changed, 1, gesture: "b", by: "b")
        #expect(near(bench.factor, 3), "4.5 ÷ 1.5 × 1")
        bench.pinch(.ended, gesture: "b", by: "b")
        bench.pinch(.changed, 2, gesture: "a", by: "a")
        #expect(near(bench.factor, 2))
    }

    /// Only who changes the zoom takes it out of the other's hands.
    @Test mutating func aFingerThatOnlyTouchesMovesNobodysBase() {
        bench.zoom(to: 2)
        bench.pinch(.began, gesture: "a", by: "a")
        bench.pinch(.changed, 8, gesture: "a", by: "a")
        bench.pinch(.began, gesture: "b", by: "b")
        bench.pinch(.changed, 3, gesture: "a", by: "a")
        #expect(near(bench.factor, 6), "2 × 3, not 8 ÷ 8 × 3")
    }

    @Test mutating func aPinchThatChangesNothingRebasesNoOtherPinch() {
        bench.zoom(to: 2)
        bench.pinch(.began, gesture: "a", by: "a")
        bench.pinch(.changed, 0.25, gesture: "a", by: "a")
        bench.pinch(.began, gesture: "b", by: "b")
        bench.pinch(.changed, 0.9, gesture: "b", by: "b")
        #expect(bench.factor == 1)
        bench.pinch(.changed, 0.75, gesture: "a", by: "a")
        #expect(near(bench.factor, 1.5), "2 × 0.75, not 1 ÷ 0.25 × 0.75")
    }

    @Test(arguments: [
        ZoomCommand.go(to: .factor(8), rate: nil, anchor: nil), .go(to: .factor(9), rate: 1, anchor: nil),
        .go(to: .by(1), rate: nil, anchor: Point(x: 0.2, y: 0.2)),
        .go(to: .position(1), rate: nil, anchor: nil),
        .move(velocity: 1, timeout: .seconds(1)), .stop, .look(.by(x: 0, y: 0)), .look(.at(.middle)),
        .show(factor: 8, center: .middle, rate: nil),
    ])
    mutating func aCommandThatChangesNothingRebasesNoPinch(command: ZoomCommand) {
        bench.zoom(to: 4)
        bench.pinch(.began)
        bench.pinch(.changed, 4)
        bench.send(command, by: "tablet")
        bench.run(.milliseconds(100))
        #expect(bench.factor == 8)
        bench.pinch(.changed, 1.5)
        #expect(near(bench.factor, 6), "4 × 1.5, not 8 ÷ 4 × 1.5")
    }

    @Test mutating func aPositionReportOfTheSamePositionRebasesNoPinch() {
        bench.zoom(to: 4)
        bench.pinch(.began)
        bench.pinch(.changed, 4)
        bench.moveLens(to: 2, moving: true)
        bench.moveLens(to: 2)
        bench.pinch(.changed, 1.5)
        #expect(near(bench.factor, 6))
    }

    @Test mutating func aLensThatIsTurnedAfterAReportOfTheSamePositionRebasesThePinch() {
        bench = Bench(opticalMax: 8)
        bench.zoom(to: 4)
        bench.pinch(.began)
        bench.pinch(.changed, 4)
        bench.moveLens(to: 8, moving: true)
        bench.moveLens(to: 6, moving: true)
        bench.moveLens(to: 5)
        bench.pinch(.changed, 6)
        #expect(near(bench.factor, 7.5), "5 ÷ 4 × 6")
    }

    /// At rest, the command has no effect that the pinch could see; on the way, it changes where the zoom ends.
    @Test mutating func aCommandThatChangesTheTargetRebasesAPinchWhoseLensIsOnItsWay() {
        bench = Bench(opticalMax: 8, lens: FakeLens(latency: .milliseconds(50)))
        bench.pinch(.began)
        bench.pinch(.changed, 4)
        bench.zoom(to: 2, by: "tablet")
        bench.run(.seconds(1))
        bench.pinch(.changed, 6)
        bench.run(.seconds(1))
        #expect(near(bench.factor, 3), "2 ÷ 4 × 6")
    }

    @Test mutating func aPinchTakesARampOver() {
        let ramp = bench.zoom(to: 8, rate: 1, by: "tablet")
        bench.run(.milliseconds(1500))
        let seen = bench.factor
        bench.pinch(.began)
        #expect(bench.statuses(ramp) == [.superseded])
        #expect(bench.factor == seen)
        #expect(bench.states.last?.zoom.target == seen)
        bench.pinch(.changed, 1.5)
        #expect(near(bench.factor, 1.5 * seen))
        bench.pinch(.ended)
        bench.run(.seconds(5))
        #expect(near(bench.factor, 1.5 * seen))
    }

    @Test mutating func aRampTakesARestingPinchOverAndLiftedFingersDoNotHaltIt() {
        bench.pinch(.began)
        bench.pinch(.changed, 2)
        let ramp = bench.zoom(to: 8, rate: 1, by: "tablet")
        bench.run(.milliseconds(500))
        bench.pinch(.ended, 2)
        #expect(bench.model.runningGesture == nil)
        bench.run(.seconds(2))
        #expect(bench.factor == 8)
        #expect(bench.statuses(ramp) == [.done])
        #expect(bench.states.last?.zoom.origin == Origin(client: "tablet", kind: .command))
    }

    @Test mutating func aGestureThatFallsSilentDoesNotHaltSomebodyElsesRamp() {
        bench.pinch(.began)
        let ramp = bench.zoom(to: 8, rate: 0.5, by: "tablet")
        bench.run(.seconds(6))
        #expect(bench.factor == 8)
        #expect(bench.statuses(ramp) == [.done])
        #expect(bench.lastGesture == nil)
    }

    @Test mutating func aPinchThatChangesDuringARampTakesItFromThere() {
        bench.pinch(.began)
        bench.pinch(.changed, 2)
        bench.zoom(to: 8, rate: 1, by: "tablet")
        bench.run(.milliseconds(1000))
        let seen = bench.factor
        bench.pinch(.changed, 2.2)
        #expect(near(bench.factor, seen * 1.1))
        bench.run(.seconds(1))
        #expect(near(bench.factor, seen * 1.1))
    }

    @Test mutating func theLastOfManyCommandsIsWhereEverybodyEnds() {
        for n in 0..<40 {
            bench.zoom(to: 1 + Double(n) / 8, by: n % 2 == 0 ? "phone" : "tablet")
        }
        #expect(bench.states.last?.zoom.factor == 1 + 39.0 / 8)
        #expect(bench.states.last?.zoom.origin.client == "tablet")
    }
}
