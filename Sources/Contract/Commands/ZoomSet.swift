package import ZoomModel

/// The payload of `zoom/set`: a bare factor, or an object.
extension ZoomCommand: CommandContent {
    static let mayHaveTime = true

    init?(bare part: JSON) throws(CommandError) {
        guard let factor = part.number else { return nil }
        guard factor > 0 else {
            throw CommandError(
                .badPayload, "factor: expected a number above 0, found \(part.words).", field: "factor")
        }
        self = .go(ZoomGoal(.factor(factor)))
    }

    init(_ fields: inout Fields) throws(CommandError) {
        let goal = try ZoomGoal.read(&fields)
        let move = try fields.object("move") { (inner) throws(CommandError) -> ZoomCommand in
            guard let velocity = try inner.number("velocity") else {
                throw inner.error("velocity", "required: octaves per second, negative to zoom out.")
            }
            let timeout = try inner.integer("timeout_ms", in: 1...10_000) ?? 1000
            return .move(velocity: velocity, timeout: .milliseconds(timeout))
        }
        let stop = try fields.bool("stop")
        if stop == false { throw fields.error("stop", "the only allowed value is true.") }
        switch (goal, move, stop) {
        case (let goal?, nil, nil): self = .go(goal)
        case (nil, let move?, nil): self = move
        case (nil, nil, _?): self = .stop
        default:
            // A field that doesn't exist is the likelier mistake, and the more helpful answer.
            try fields.refuseOthers()
            let count = [goal != nil, move != nil, stop != nil].count { $0 }
            throw CommandError(
                .badPayload, "Send exactly one of factor, position, by, move and stop; found \(count).")
        }
    }
}

extension ZoomGoal {
    /// Reads the fields of a goal, or nothing where there are none.
    static func read(_ fields: inout Fields) throws(CommandError) -> ZoomGoal? {
        let factor = try fields.positive("factor")
        let position = try fields.number("position")
        let multiple = try fields.positive("by")
        let rate = try fields.positive("rate")
        let anchor = try Point.read("anchor", of: &fields)
        switch (factor, position, multiple) {
        case (let factor?, nil, nil): return ZoomGoal(.factor(factor), rate: rate, anchor: anchor)
        case (nil, let position?, nil): return ZoomGoal(.position(position), rate: rate, anchor: anchor)
        case (nil, nil, let multiple?): return ZoomGoal(.by(multiple), rate: rate, anchor: anchor)
        case (nil, nil, nil):
            let misplaced = rate != nil ? "rate" : anchor != nil ? "anchor" : nil
            guard let misplaced else { return nil }
            throw fields.error(misplaced, "allowed only with factor, position or by.")
        default:
            let count = [factor, position, multiple].count { $0 != nil }
            throw CommandError(.badPayload, "Send exactly one of factor, position and by; found \(count).")
        }
    }

    /// Reads an object that has to be a goal.
    static func readWhole(_ fields: inout Fields) throws(CommandError) -> ZoomGoal {
        if let goal = try read(&fields) { return goal }
        try fields.refuseOthers()
        throw CommandError(.badPayload, "zoom: one of factor, position and by is required.", field: "zoom")
    }
}

/// A point of a command is 0…1 in both directions. Fingers may leave the view: what is outside is clamped by
/// the model.
extension Point {
    static func read(_ name: String, of fields: inout Fields) throws(CommandError) -> Point? {
        try fields.object(name, read)
    }

    /// Reads `x` and `y`, both of which are needed.
    static func read(_ fields: inout Fields) throws(CommandError) -> Point {
        Point(x: try coordinate("x", &fields), y: try coordinate("y", &fields))
    }

    private static func coordinate(_ name: String, _ fields: inout Fields) throws(CommandError) -> Double {
        guard let value = try fields.number(name) else { throw fields.error(name, "required: 0 to 1.") }
        return value
    }
}
