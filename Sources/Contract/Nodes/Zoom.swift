package import ZoomModel

extension Node {
    package static var zoom: Node { Node(Zoom.self) }

    /// Magnification, by the lens and by a crop.
    package enum Zoom: NodeContract {
        package typealias Command = ZoomCommand
        package typealias State = ZoomState
        package static var name: String { "zoom" }
        package static var isCounted: Bool { true }
    }
}

/// The payload of `zoom/set`: a bare factor, or an object.
extension ZoomCommand: CommandForm {
    package static let mayWait = true
    package static var bare: [FieldKind] { [.number(.above(0))] }

    package var policy: CommandPolicy {
        CommandPolicy(movesZoom: true, isRateLimited: self != .stop, savesState: true)
    }

    package init?(bare part: JSON) throws(CommandError) {
        guard let factor = part.number else { return nil }
        guard factor > 0 else {
            throw CommandError(
                .badPayload, "factor: expected a number above 0, found \(part.words).", field: "factor")
        }
        self = .go(ZoomGoal(.factor(factor)))
    }

    package init(_ f: inout some FormVisitor<Self>) {
        let goal = f.maybeGroup { if case .go(let goal) = $0 { goal } else { nil } } as ZoomGoal?
        let move = f.option(
            "move", { Move($0) }, .any,
            "Zooms until its timeout, or another command.")
        let stop = f.option(
            "stop", { $0 == .stop ? true : nil }, .onlyTrue,
            "Stops where the lens is.")
        self = f.one(goal.map(Self.go), move.map(\.command), stop.map { _ in .stop }) ?? .stop
    }

    private struct Move: Form {
        let velocity: Double
        let milliseconds: Int

        var command: ZoomCommand { .move(velocity: velocity, timeout: .milliseconds(milliseconds)) }

        init?(_ command: ZoomCommand) {
            guard case .move(let velocity, let timeout) = command else { return nil }
            (self.velocity, milliseconds) = (velocity, Int(timeout / .milliseconds(1)))
        }

        init(_ f: inout some FormVisitor<Self>) {
            velocity = f(
                "velocity", \.velocity, .any, "Octaves per second; negative zooms out.",
                missing: "required: octaves per second, negative to zoom out.")
            milliseconds = f(
                "timeout_ms", \.milliseconds, .within(1...10_000), default: 1000,
                "Milliseconds until it ends by itself.")
        }
    }
}

extension ZoomGoal: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        let factor = f.option(
            "factor", { if case .factor(let factor) = $0.target { factor } else { nil } }, .above(0),
            "Magnification, optical × digital; clamped.")
        let position = f.option(
            "position", { if case .position(let position) = $0.target { position } else { nil } }, .any,
            "0…1, linear between `min` and `max`; clamped.")
        let multiple = f.option(
            "by", { if case .by(let multiple) = $0.target { multiple } else { nil } }, .above(0),
            "Multiplies the present target.")
        let rate = f.maybe("rate", \.rate, .above(0), FormText.rate)
        let anchor = f.maybe("anchor", \.anchor, .any, "This point of the view stays where it is.")
        f.only("rate", if: rate != nil, with: "factor", "position", "by")
        f.only("anchor", if: anchor != nil, with: "factor", "position", "by")
        let target = f.one(factor.map(Target.factor), position.map(Target.position), multiple.map(Target.by))
        self.init(target ?? .by(1), rate: rate, anchor: anchor)
    }
}

/// A point of a command is 0…1 in both directions. Fingers may leave the view: what is outside is clamped by
/// the model.
extension Point: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        let x = f(
            "x", \.x, .any.rounded, "Fraction of the view.", missing: "required: 0 to 1.")
        let y = f(
            "y", \.y, .any.rounded, "Fraction of the view.", missing: "required: 0 to 1.")
        self.init(x: x, y: y)
    }
}

/// Sentences of several nodes.
enum FormText {
    static var rate: String {
        "Octaves per second, clamped; absent: at once."
    }
    static var gesture: String { "Name of the gesture." }
}

/// The present zoom (`factor`) and the requested one (`target`), never mixed. Its origin is the stamp's.
extension ZoomState: StateForm {
    package static var tellsOrigin: Bool { true }

    package init(_ f: inout some FormVisitor<Self>) {
        let factor = f("factor", \.factor, .factor, "The present zoom.")
        let target = f("target", \.target, .factor, "Where it goes.")
        let ramping = f("ramping", \.ramping, .any, "It moves.")
        let velocity = f.maybe(
            "velocity", \.velocity, .any.rounded,
            "During a `move`: octaves per second.")
        let min = f("min", \.min, .above(0), "The least factor.")
        let max = f("max", \.max, .above(0), "The greatest factor.")
        let position = f("position", \.position, .fraction, "(factor − min) ÷ (max − min).")
        let optical = f("optical", \.optical, .factor, "The lens's part.")
        let digital = f("digital", \.digital, .factor, "The crop's part.")
        let viewport = f("viewport", \.viewport, .any, "What is in view.")
        self.init(
            factor: factor, target: target, ramping: ramping, velocity: velocity, min: min, max: max,
            position: position, optical: optical, digital: digital, viewport: viewport,
            origin: Origin(kind: .external))
    }

    /// As precise as it is published. The origin, which is part of the stamp, is always the same.
    package var forMessages: ZoomState {
        var state = self
        (state.factor, state.target) = (factor.forMessages, target.forMessages)
        (state.velocity, state.position) = (velocity?.forMessages, position.forMessages)
        (state.optical, state.digital) = (optical.forMessages, digital.forMessages)
        (state.viewport, state.origin) = (viewport.forMessages, Origin(kind: .restore))
        return state
    }

    /// The same as a sample for `zoom/live`.
    package var liveSample: LiveSample {
        LiveSample(
            factor: factor, target: target, position: position, optical: optical, digital: digital,
            viewport: viewport)
    }
}

/// A sample of `zoom/live`, while the zoom is moving; it belongs to the state with the same `rev`.
package struct LiveSample: Sendable, Equatable {
    package var factor: Double
    var target: Double
    package var position: Double
    var optical: Double
    var digital: Double
    var viewport: Viewport
}

extension LiveSample: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        factor = f("factor", \.factor, .factor, "The present zoom.")
        target = f("target", \.target, .factor, "Where it goes.")
        position = f("position", \.position, .fraction, "(factor − min) ÷ (max − min).")
        optical = f("optical", \.optical, .factor, "The lens's part.")
        digital = f("digital", \.digital, .factor, "The crop's part.")
        viewport = f("viewport", \.viewport, .any, "What is in view.")
    }
}

extension Node.Zoom {
    package struct Saved: SavedPart {
        /// The last zoom factor, above 0.
        package var factor = 1.0
        /// The middle of the view, in fractions (0…1) of the lens's widest field.
        package var centerX = 0.5
        package var centerY = 0.5

        package init() {}

        package init(_ f: inout some FormVisitor<Self>) {
            factor = f("factor", \.factor, .any, "The last zoom.")
            centerX = f("centerX", \.centerX, .any, "The middle of the view, in fractions.")
            centerY = f("centerY", \.centerY, .any, "The same.")
        }
    }
}
