/// The payload of `zoom/set`: a bare factor, or an object.
package struct ZoomSet: Sendable, Equatable, CommandContent {
    static let mayHaveTime = true

    package enum Action: Sendable, Equatable {
        case go(ZoomGoal)
        /// Octaves per second, out when negative; ends by itself after the time-out.
        case move(velocity: Double, timeoutMilliseconds: Int)
        case stop
    }

    package let action: Action

    package init(_ action: Action) {
        self.action = action
    }

    init?(bare part: JSON) throws(CommandError) {
        guard let factor = part.number else { return nil }
        guard factor > 0 else {
            throw CommandError(
                .badPayload, "factor: expected a number above 0, found \(part.words).", field: "factor")
        }
        action = .go(ZoomGoal(.factor(factor)))
    }

    init(_ fields: inout Fields) throws(CommandError) {
        let goal = try ZoomGoal.read(&fields)
        let move = try fields.object("move") { (inner) throws(CommandError) -> Action in
            guard let velocity = try inner.number("velocity") else {
                throw inner.error("velocity", "required: octaves per second, negative to zoom out.")
            }
            let timeout = try inner.integer("timeout_ms", in: 1...10_000) ?? 1000
            return .move(velocity: velocity, timeoutMilliseconds: timeout)
        }
        let stop = try fields.bool("stop")
        if stop == false { throw fields.error("stop", "the only allowed value is true.") }
        switch (goal, move, stop) {
        case (let goal?, nil, nil): action = .go(goal)
        case (nil, let move?, nil): action = move
        case (nil, nil, _?): action = .stop
        default:
            // A field that doesn't exist is the likelier mistake, and the more helpful answer.
            try fields.refuseOthers()
            let count = [goal != nil, move != nil, stop != nil].count { $0 }
            throw CommandError(
                .badPayload, "Send exactly one of factor, position, by, move and stop; found \(count).")
        }
    }
}

/// A target of the zoom, with rate and anchor.
package struct ZoomGoal: Sendable, Equatable {
    package enum Target: Sendable, Equatable {
        /// Above 0.
        case factor(Double)
        /// 0…1, linear between the least and the greatest factor.
        case position(Double)
        /// Multiplies the target; above 0.
        case by(Double)
    }

    package var target: Target
    /// Octaves per second, above 0; nil: without a ramp.
    package var rate: Double?
    /// The point of the view that stays in place.
    package var anchor: Anchor?

    package init(_ target: Target, rate: Double? = nil, anchor: Anchor? = nil) {
        self.target = target
        self.rate = rate
        self.anchor = anchor
    }

    /// Reads the fields of a goal, or nothing where there are none.
    static func read(_ fields: inout Fields) throws(CommandError) -> ZoomGoal? {
        let factor = try fields.positive("factor")
        let position = try fields.number("position")
        let multiple = try fields.positive("by")
        let rate = try fields.positive("rate")
        let anchor = try Anchor.read("anchor", of: &fields)
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
}

extension ZoomGoal {
    /// Reads an object that has to be a goal.
    static func readWhole(_ fields: inout Fields) throws(CommandError) -> ZoomGoal {
        if let goal = try read(&fields) { return goal }
        try fields.refuseOthers()
        throw CommandError(.badPayload, "zoom: one of factor, position and by is required.", field: "zoom")
    }
}

/// A point in fractions of the view, 0…1 from the top left. Fingers may leave the view: what is outside is
/// clamped by the model.
package struct Anchor: Sendable, Equatable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    static func read(_ name: String, of fields: inout Fields) throws(CommandError) -> Anchor? {
        try fields.object(name, read)
    }

    /// Reads `x` and `y`, both of which are needed.
    static func read(_ fields: inout Fields) throws(CommandError) -> Anchor {
        Anchor(x: try coordinate("x", &fields), y: try coordinate("y", &fields))
    }

    private static func coordinate(_ name: String, _ fields: inout Fields) throws(CommandError) -> Double {
        guard let value = try fields.number(name) else { throw fields.error(name, "required: 0 to 1.") }
        return value
    }
}
