import TestSupport
import ZoomModel

/// One event, and the pause after it.
struct PropertyEvent: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case command(ZoomCommand)
        case pinch(PinchSample)
        case touch(TouchSample)
        /// The lens is moved externally.
        case external(optical: Double, moving: Bool)
    }

    var client: String
    var kind: Kind
    var pause: Duration

    var description: String { "\(client): \(kind), then \(pause)" }
}

/// The events of several independent controllers. The same seed gives the same events.
struct PropertyTraffic {
    private struct Pinch {
        let gesture: String
        let mode: PinchSample.Mode
        let isNumbered: Bool
        var scale = 1.0
        var sequence = 0
        var anchor: Point?
    }

    private struct Touching {
        let gesture: String
        var fingers: [(name: String, place: Point)] = []
        var sequence = 0
    }

    private struct Controller {
        let name: String
        var pinch: Pinch?
        var touching: Touching?
        var gestures = 0
    }

    private var random: SeededGenerator
    private var controllers = ["phone", "tablet", "wall", "script", "remote"].map { Controller(name: $0) }
    /// The greatest factor of the lens. 1: it cannot be moved.
    private let opticalMax: Double
    private var isTurning = false

    init(seed: UInt64, opticalMax: Double) {
        random = SeededGenerator(seed: seed)
        self.opticalMax = opticalMax
    }

    mutating func events(_ count: Int) -> [PropertyEvent] {
        (0..<count).map { _ in
            if opticalMax > 1 && chance(isTurning ? 0.3 : 0.02) {
                isTurning = chance(0.7)
                return PropertyEvent(
                    client: "external",
                    kind: .external(optical: between(1, opticalMax), moving: isTurning), pause: pause())
            }
            let index = Int.random(in: controllers.indices, using: &random)
            return PropertyEvent(client: controllers[index].name, kind: step(index), pause: pause())
        }
    }

    private mutating func step(_ index: Int) -> PropertyEvent.Kind {
        // A controller sometimes sends a command during its own gesture.
        if chance(0.06) { return .command(command()) }
        if let pinch = controllers[index].pinch { return .pinch(pinching(pinch, index)) }
        if let touching = controllers[index].touching { return .touch(touch(touching, index)) }
        controllers[index].gestures += 1
        let gesture = "g\(controllers[index].gestures % 3)"
        if chance(0.5) {
            let pinch = Pinch(
                gesture: gesture, mode: chance(0.7) ? .cumulative : .incremental, isNumbered: chance(0.5),
                anchor: chance(0.7) ? place() : nil)
            controllers[index].pinch = pinch
            // Some `began` are lost.
            if chance(0.1) { return .pinch(sample(pinch, .changed, between(0.5, 2))) }
            return .pinch(sample(pinch, .began, chance(0.2) ? between(0.5, 2) : nil))
        }
        if chance(0.6) {
            return .touch(touch(Touching(gesture: gesture), index))
        }
        return .command(command())
    }

    private mutating func command() -> ZoomCommand {
        let anchor = chance(0.5) ? place() : nil
        let rate = chance(0.6) ? between(0.3, 20) : nil
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4: return .go(ZoomGoal(.factor(between(0.5, 10)), rate: rate, anchor: anchor))
        case 4..<6: return .go(ZoomGoal(.by(between(0.3, 3)), rate: rate, anchor: anchor))
        case 6: return .go(ZoomGoal(.position(between(0, 1)), rate: rate, anchor: anchor))
        case 7:
            return .move(velocity: chance(0.1) ? 0 : between(-4, 4), timeout: .milliseconds(700))
        case 8: return .stop
        case 9: return .moveView(.at(place()))
        default: return .moveView(.by(x: between(-0.4, 0.4), y: between(-0.4, 0.4)))
        }
    }

    // MARK: Pinches

    private mutating func pinching(_ old: Pinch, _ index: Int) -> PinchSample {
        var pinch = old
        var goesOn = true
        pinch.sequence += 1
        defer { controllers[index].pinch = goesOn ? pinch : nil }
        if chance(0.8), let anchor = pinch.anchor { pinch.anchor = near(anchor) }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<4:
            // Late or repeated.
            var late = sample(pinch, chance(0.7) ? .changed : .ended, between(0.2, 5))
            if late.sequence != nil { late.sequence = max(0, pinch.sequence - 1 - chance3()) }
            return late
        case 4..<12:
            goesOn = false
            return sample(pinch, .ended, chance(0.5) ? scale(&pinch) : nil)
        case 12..<17:
            goesOn = false
            return sample(pinch, .cancelled, nil, revert: chance(0.5))
        case 17..<20:
            pinch = Pinch(
                gesture: pinch.gesture, mode: pinch.mode, isNumbered: pinch.isNumbered, anchor: pinch.anchor)
            return sample(pinch, .began, nil)
        case 20..<23:
            // The rest of the gesture is lost.
            goesOn = false
            return sample(pinch, .changed, scale(&pinch))
        case 23..<27:
            // Fingers that do not move.
            return sample(pinch, .changed, pinch.mode == .cumulative ? pinch.scale : 1)
        default: return sample(pinch, .changed, scale(&pinch))
        }
    }

    /// The next scale, in the mode of the pinch.
    private mutating func scale(_ pinch: inout Pinch) -> Double {
        let step = chance(0.05) ? between(0.05, 20) : between(0.8, 1.25)
        pinch.scale = min(max(pinch.scale * step, 0.02), 50)
        return pinch.mode == .cumulative ? pinch.scale : step
    }

    private func sample(
        _ pinch: Pinch, _ phase: PinchSample.Phase, _ scale: Double?, revert: Bool = false
    ) -> PinchSample {
        PinchSample(
            gesture: pinch.gesture, phase: phase, scale: scale,
            sequence: pinch.isNumbered ? pinch.sequence : nil, mode: pinch.mode, anchor: pinch.anchor,
            revert: revert)
    }

    // MARK: Fingers

    private mutating func touch(_ old: Touching, _ index: Int) -> TouchSample {
        var touching = old
        touching.sequence += 1
        var touches: [Touch] = []
        switch Int.random(in: 0..<100, using: &random) {
        case _ where touching.fingers.isEmpty, 0..<12 where touching.fingers.count < 3:
            touches.append(down(&touching))
            // Both together.
            if touching.fingers.count == 1 && chance(0.3) { touches.append(down(&touching)) }
        case 0..<22:
            let lifted = touching.fingers.remove(at: Int.random(in: touching.fingers.indices, using: &random))
            let phase: Touch.Phase = chance(0.8) ? .ended : .cancelled
            touches.append(Touch(finger: lifted.name, place: lifted.place, phase: phase))
        case 22..<25:
            // All fingers on one spot.
            for place in touching.fingers.indices {
                touching.fingers[place].place = touching.fingers[0].place
                touches.append(moved(touching.fingers[place]))
            }
        case 25..<28:
            touches = touching.fingers.map { Touch(finger: $0.name, place: $0.place, phase: .cancelled) }
            touching.fingers = []
        default:
            for place in touching.fingers.indices where touches.isEmpty || chance(0.6) {
                touching.fingers[place].place = moved(touching.fingers[place].place)
                touches.append(moved(touching.fingers[place]))
            }
        }
        controllers[index].touching = touching.fingers.isEmpty || chance(0.02) ? nil : touching
        let isLate = chance(0.04)
        return TouchSample(
            gesture: touching.gesture, sequence: isLate ? touching.sequence - 2 : touching.sequence,
            touches: touches)
    }

    private mutating func down(_ touching: inout Touching) -> Touch {
        let name = ["a", "b", "c"].first { name in !touching.fingers.contains { $0.name == name } } ?? "a"
        touching.fingers.append((name, chance(0.9) ? place() : outside()))
        return Touch(finger: name, place: touching.fingers[touching.fingers.count - 1].place, phase: .began)
    }

    private func moved(_ finger: (name: String, place: Point)) -> Touch {
        Touch(finger: finger.name, place: finger.place, phase: .moved)
    }

    // MARK: Random values

    private mutating func pause() -> Duration {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: .zero
        case 30..<80: .microseconds(Int.random(in: 1...20_000, using: &random))
        case 80..<97: .milliseconds(Int.random(in: 20...200, using: &random))
        default: .milliseconds(Int.random(in: 200...3000, using: &random))
        }
    }

    private mutating func chance(_ share: Double) -> Bool { between(0, 1) < share }

    private mutating func chance3() -> Int { Int.random(in: 0..<3, using: &random) }

    private mutating func between(_ least: Double, _ most: Double) -> Double {
        .random(in: least...most, using: &random)
    }

    private mutating func place() -> Point { Point(x: between(0, 1), y: between(0, 1)) }

    /// A place in the view or not far outside it.
    private mutating func outside() -> Point { Point(x: between(-0.3, 1.3), y: between(-0.3, 1.3)) }

    /// The next place of a finger, which may leave the view.
    private mutating func moved(_ place: Point) -> Point {
        Point(
            x: min(max(place.x + between(-0.05, 0.05), -0.3), 1.3),
            y: min(max(place.y + between(-0.05, 0.05), -0.3), 1.3))
    }

    private mutating func near(_ place: Point) -> Point {
        Point(
            x: min(max(place.x + between(-0.05, 0.05), 0), 1),
            y: min(max(place.y + between(-0.05, 0.05), 0), 1))
    }
}
