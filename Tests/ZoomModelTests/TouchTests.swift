import Glibc
import TestSupport
import Testing
import ZoomModel

/// Fingers on a view: one drags, two pinch, and a change of their number causes no jump.
struct TouchTests {
    var harness = ZoomHarness()

    init() {
        harness.zoom(to: 2)
    }

    private static func at(_ finger: String, _ x: Double, _ y: Double, _ phase: Touch.Phase = .moved) -> Touch
    {
        Touch(finger: finger, place: Point(x: x, y: y), phase: phase)
    }

    @Test mutating func twoFingersOnOneSpotHaveAMinimumDistance() {
        harness.touch(Self.at("a", 0.5, 0.5, .began), Self.at("b", 0.5, 0.5, .began))
        harness.touch(Self.at("b", 0.5, 0.52))
        #expect(near(harness.factor, 4), "the minimum distance is a hundredth of the height")
        harness.touch(Self.at("b", 0.5, 0.5))
        #expect(near(harness.factor, 2))
    }

    @Test mutating func returningFingersRestoreTheZoom() {
        harness.touch(Self.at("a", 0.4, 0.5, .began), Self.at("b", 0.6, 0.5, .began))
        let view = harness.model.snapshot.viewport
        for step in Array(1...50) + (0..<50).reversed() {
            let apart = 0.1 + Double(step) / 250
            harness.touch(Self.at("a", 0.5 - apart, 0.5), Self.at("b", 0.5 + apart, 0.5))
        }
        #expect(near(harness.factor, 2))
        #expect(near(harness.model.snapshot.viewport.x, view.x))
    }

    @Test(arguments: [0.5, 9.0 / 16, 1, 4.0 / 3, 16.0 / 9, 3], [1, 2, 3] as [UInt64])
    mutating func rotationAtConstantDistanceNeverChangesTheFactor(aspect: Double, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        harness = ZoomHarness(.init(range: 1...8, aspect: aspect))
        for _ in 0..<20 {
            let factor = Double.random(in: 1...8, using: &random)
            harness.zoom(to: factor)
            // In heights of the view. The fingers may leave the view.
            let distance = Double.random(in: 0.02...1.5, using: &random)
            func fingers(_ phase: Touch.Phase) -> [Touch] {
                let angle = Double.random(in: 0...(2 * .pi), using: &random)
                let (x, y) = (
                    Double.random(in: 0...1, using: &random), Double.random(in: 0...1, using: &random)
                )
                let (dx, dy) = (distance / 2 * cos(angle) / aspect, distance / 2 * sin(angle))
                return [Self.at("a", x - dx, y - dy, phase), Self.at("b", x + dx, y + dy, phase)]
            }
            harness.send(TouchSample(gesture: "t", touches: fingers(.began)))
            for _ in 0..<10 {
                harness.send(TouchSample(gesture: "t", touches: fingers(.moved)))
                #expect(near(harness.factor, factor), "seed \(seed)")
            }
            harness.send(TouchSample(gesture: "t", touches: fingers(.ended)))
        }
    }

    @Test(arguments: [0.5, 1, 2]) mutating func aChangeOfTheAspectDuringATouchCausesNoJump(aspect: Double) {
        harness.touch(Self.at("a", 0.4, 0.5, .began), Self.at("b", 0.6, 0.5, .began))
        harness.touch(Self.at("a", 0.35, 0.5), Self.at("b", 0.65, 0.5))
        #expect(near(harness.factor, 3))
        harness.model.setAspect(aspect)
        harness.touch(Self.at("a", 0.35, 0.5), Self.at("b", 0.65, 0.5))
        #expect(near(harness.factor, 3))
        let half = 0.15 * aspect
        harness.touch(Self.at("a", 0.5, 0.5 - half), Self.at("b", 0.5, 0.5 + half))
        #expect(near(harness.factor, 3), "a rotation in the new proportions changed the factor")
        harness.touch(Self.at("a", 0.5, 0.5 - 2 * half), Self.at("b", 0.5, 0.5 + 2 * half))
        #expect(near(harness.factor, 6))
    }

    @Test mutating func anAspectThatIsSetBeforeATouchAppliesToIt() {
        harness.model.setAspect(1)
        harness.touch(Self.at("a", 0.5, 0.3, .began), Self.at("b", 0.5, 0.7, .began))
        harness.touch(Self.at("a", 0.3, 0.5), Self.at("b", 0.7, 0.5))
        #expect(near(harness.factor, 2))
    }

    @Test(arguments: [1e308, -1e308, 1e6]) mutating func extremePlacesKeepTheZoomInItsRange(place: Double) {
        harness.touch(Self.at("a", place, -place, .began), Self.at("b", -place, place, .began))
        #expect(harness.factor == 2)
        for touch in [Self.at("a", 0.5, 0.5), Self.at("b", 0.5, 0.5), Self.at("b", place, place)] {
            harness.touch(touch)
            #expect(1...8 ~= harness.factor)
            #expect(0...1 ~= harness.model.center.x && 0...1 ~= harness.model.center.y)
        }
    }

    /// The answer has `clamped` because the midpoint is computed from the finger's place at the edge of the
    /// view.
    @Test mutating func aFingerOutsideTheViewIsClampedForTheMidpointButNotForTheDistance() {
        let held = scenePoint(at: Point(x: 0.75, y: 0.5), in: harness.model.snapshot)
        harness.touch(Self.at("a", 0.5, 0.5, .began), Self.at("b", 1, 0.5, .began))
        harness.touch(Self.at("b", 1.5, 0.5))
        #expect(near(harness.factor, 4))
        #expect(near(scenePoint(at: Point(x: 0.75, y: 0.5), in: harness.model.snapshot), held))
        #expect(harness.lastAnswers.first?.clamped == true)
    }

    @Test mutating func touchesOfTwoClientsWithTheSameNameAreSeparate() {
        harness.touch(Self.at("a", 0.4, 0.5, .began), by: "phone")
        harness.touch(Self.at("a", 0.4, 0.5, .ended), by: "tablet")
        #expect(harness.model.runningTouch?.client == "phone")
    }

    /// A touch that starts again replaces itself and does not need room for one more gesture.
    @Test mutating func aRestartedTouchKeepsItsFingersAtTheLimitOfGestures() {
        harness.touch(Self.at("a", 0.4, 0.5, .began))
        for n in 1..<32 {
            harness.run(.milliseconds(1))
            harness.pinch(.began, gesture: "g\(n)")
        }
        harness.touch(Self.at("b", 0.6, 0.5, .began))
        #expect(harness.model.runningTouch?.fingers == 2)
        harness.touch(Self.at("b", 0.8, 0.5))
        #expect(near(harness.factor, 4))
    }
}

extension ZoomHarness {
    fileprivate mutating func touch(_ touches: Touch..., seq: Int? = nil, by client: ClientIdentity = "phone")
    {
        send(TouchSample(gesture: "t", sequence: seq, touches: touches), by: client)
    }
}
