package import ZoomModel

/// The payload of `zoom/set`: a bare factor, or an object.
extension ZoomCommand: CommandForm {
    static let mayHaveTime = true
    static var bare: [FieldKind] { [.number(.above(0))] }

    init?(bare part: JSON) throws(CommandError) {
        guard let factor = part.number else { return nil }
        guard factor > 0 else {
            throw CommandError(
                .badPayload, "factor: expected a number above 0, found \(part.words).", field: "factor")
        }
        self = .go(ZoomGoal(.factor(factor)))
    }

    package init(_ f: inout some FormVisitor<Self>) {
        let goal = f.option { if case .go(let goal) = $0 { goal } else { nil } } as ZoomGoal?
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
