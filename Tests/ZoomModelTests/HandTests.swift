import Testing
import ZoomModel

/// Fingers on a view: one drags, two pinch, and no change of their number makes the picture jump.
struct HandTests {
    var bench = Bench()

    init() {
        bench.zoom(to: 2)
    }

    private static func at(_ finger: String, _ x: Double, _ y: Double, _ phase: Touch.Phase = .moved) -> Touch
    {
        Touch(finger: finger, place: Point(x: x, y: y), phase: phase)
    }

    private func middle() -> Point { scenePoint(at: .middle, in: bench.model.snapshot) }

    @Test mutating func twoFingersPinchByTheirDistance() {
        bench.touch(Self.at("a", 0.4, 0.5, .began), Self.at("b", 0.6, 0.5, .began))
        #expect(bench.factor == 2)
        bench.touch(Self.at("a", 0.3, 0.5), Self.at("b", 0.7, 0.5))
        #expect(near(bench.factor, 4))
        #expect(bench.model.runningTouch?.fingers == 2)
        #expect(bench.model.runningGesture == nil, "a touch is no pinch")
    }

    /// Only the finger that moved is named.
    @Test mutating func aFingerThatIsNotNamedStaysWhereItWas() {
        bench.touch(Self.at("a", 0.4, 0.5, .began))
        bench.touch(Self.at("b", 0.6, 0.5, .began))
        bench.touch(Self.at("b", 0.8, 0.5))
        #expect(near(bench.factor, 4))
    }

    @Test mutating func twoFingersHoldTheirMidpoint() {
        let held = scenePoint(at: Point(x: 0.6, y: 0.3), in: bench.model.snapshot)
        bench.touch(Self.at("a", 0.5, 0.3, .began), Self.at("b", 0.7, 0.3, .began))
        bench.touch(Self.at("a", 0.35, 0.4), Self.at("b", 0.75, 0.4))
        #expect(near(bench.factor, 4))
        #expect(near(scenePoint(at: Point(x: 0.55, y: 0.4), in: bench.model.snapshot), held))
    }

    @Test mutating func oneFingerDragsAndZoomsNothing() {
        let held = scenePoint(at: Point(x: 0.5, y: 0.5), in: bench.model.snapshot)
        bench.touch(Self.at("a", 0.5, 0.5, .began))
        bench.touch(Self.at("a", 0.6, 0.3))
        #expect(bench.factor == 2)
        #expect(near(scenePoint(at: Point(x: 0.6, y: 0.3), in: bench.model.snapshot), held))
    }

    @Test mutating func aThirdFingerIsIgnored() {
        bench.touch(Self.at("a", 0.4, 0.5, .began), Self.at("b", 0.6, 0.5, .began))
        bench.touch(Self.at("c", 0.1, 0.1, .began))
        bench.touch(Self.at("c", 0.9, 0.9))
        #expect(bench.factor == 2)
        #expect(bench.model.runningTouch?.fingers == 2)
        bench.touch(Self.at("c", 0.9, 0.9, .ended))
        bench.touch(Self.at("b", 0.7, 0.5))
        #expect(near(bench.factor, 3), "its coming and going changed the others' scale")
    }

    @Test mutating func aThirdFingerTakesTheSecondOnesPlaceWithNoJump() {
        bench.touch(Self.at("a", 0.4, 0.5, .began), Self.at("b", 0.6, 0.5, .began))
        bench.touch(Self.at("c", 0.5, 0.7, .began))
        let before = bench.model.snapshot
        bench.touch(Self.at("b", 0.6, 0.5, .ended))
        #expect(bench.factor == before.factor)
        #expect(bench.model.snapshot.viewport == before.viewport)
        bench.touch(Self.at("c", 0.6, 0.9))
        #expect(near(bench.factor, 4), "twice as far from the first one as when it took over")
    }

    @Test(arguments: ["a", "b"]) mutating func aSecondFingerThatComesAndGoesMakesNoJump(lifted: String) {
        bench.touch(Self.at("a", 0.3, 0.3, .began))
        bench.touch(Self.at("a", 0.4, 0.4))
        let one = bench.model.snapshot
        bench.touch(Self.at("b", 0.9, 0.8, .began))
        #expect(bench.model.snapshot.viewport == one.viewport && bench.factor == one.factor)
        bench.touch(Self.at("b", 0.7, 0.7))
        let two = bench.model.snapshot
        bench.touch(Self.at(lifted, 0.5, 0.5, .ended))
        #expect(bench.model.snapshot.viewport == two.viewport && bench.factor == two.factor)
        #expect(bench.model.runningTouch?.fingers == 1)
    }

    @Test mutating func twoFingersOnOneSpotDivideNothingByZero() {
        bench.touch(Self.at("a", 0.5, 0.5, .began), Self.at("b", 0.5, 0.5, .began))
        bench.touch(Self.at("b", 0.5, 0.52))
        #expect(near(bench.factor, 4), "they are taken to be a hundredth apart")
        bench.touch(Self.at("b", 0.5, 0.5))
        #expect(near(bench.factor, 2))
    }

    @Test mutating func outAndBackEndsWhereItBegan() {
        bench.touch(Self.at("a", 0.4, 0.5, .began), Self.at("b", 0.6, 0.5, .began))
        let view = bench.model.snapshot.viewport
        for step in Array(1...50) + (0..<50).reversed() {
            let apart = 0.1 + Double(step) / 250
            bench.touch(Self.at("a", 0.5 - apart, 0.5), Self.at("b", 0.5 + apart, 0.5))
        }
        #expect(near(bench.factor, 2))
        #expect(near(bench.model.snapshot.viewport.x, view.x))
    }

    @Test mutating func theLastFingerEndsIt() {
        bench.touch(Self.at("a", 0.4, 0.5, .began), Self.at("b", 0.6, 0.5, .began))
        bench.touch(Self.at("a", 0.4, 0.5, .ended))
        #expect(bench.model.runningTouch?.fingers == 1)
        bench.touch(Self.at("b", 0.6, 0.5, .ended))
        #expect(bench.model.runningTouch == nil)
        #expect(bench.model.wake == nil)
    }

    @Test mutating func afterSilenceAFingerStartsAnew() {
        bench.touch(Self.at("a", 0.4, 0.5, .began), Self.at("b", 0.6, 0.5, .began))
        bench.run(.seconds(2))
        #expect(bench.model.runningTouch == nil)
        bench.touch(Self.at("b", 0.9, 0.5))
        #expect(bench.factor == 2)
        #expect(bench.model.runningTouch?.fingers == 1, "the other one is not remembered")
    }

    @Test mutating func aLateMoveIsIgnoredAndALateEndIsNot() {
        bench.touch(Self.at("a", 0.4, 0.5, .began), Self.at("b", 0.6, 0.5, .began), seq: 5)
        bench.touch(Self.at("b", 0.8, 0.5), seq: 5)
        #expect(bench.lastStatuses == [.superseded])
        #expect(bench.factor == 2)
        bench.touch(Self.at("a", 0.1, 0.5), Self.at("b", 0.8, 0.5, .ended), seq: 4)
        #expect(bench.factor == 2)
        #expect(bench.model.runningTouch?.fingers == 1)
    }

    @Test mutating func aFingerThatHasLeftTheViewIsAtItsEdge() {
        bench.touch(Self.at("a", 0.5, 0.5, .began))
        bench.touch(Self.at("b", 1, 0.5, .began))
        bench.touch(Self.at("b", 1.3, 0.5))
        #expect(bench.factor == 2)
        #expect(bench.lastAnswers.first?.clamped == true)
    }

    @Test mutating func twoClientsMayGiveTheirTouchesTheSameName() {
        bench.touch(Self.at("a", 0.4, 0.5, .began), by: "phone")
        bench.touch(Self.at("a", 0.4, 0.5, .ended), by: "tablet")
        #expect(bench.model.runningTouch?.client == "phone")
    }

    /// With as many gestures as are kept in mind, a touch that starts anew needs no more room: it forgot its own fingers.
    @Test mutating func aTouchAmongManyKeepsItsFingers() {
        bench.touch(Self.at("a", 0.4, 0.5, .began))
        for n in 1..<32 {
            bench.run(.milliseconds(1))
            bench.pinch(.began, gesture: "g\(n)")
        }
        bench.touch(Self.at("b", 0.6, 0.5, .began))
        #expect(bench.model.runningTouch?.fingers == 2)
        bench.touch(Self.at("b", 0.8, 0.5))
        #expect(near(bench.factor, 4))
    }
}

extension Bench {
    fileprivate mutating func touch(_ touches: Touch..., seq: Int? = nil, by client: String = "phone") {
        send(TouchSample(gesture: "t", sequence: seq, touches: touches), by: client)
    }
}
