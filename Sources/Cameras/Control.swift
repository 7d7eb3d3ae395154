/// A camera's control, as something a person can handle.
package struct Control: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
        case number(Double)
        case flag(Bool)
        case text(String)
    }

    package struct Option: Sendable, Equatable {
        package var value: Double
        package var title: String

        package init(_ value: Double, _ title: String) {
            (self.value, self.title) = (value, title)
        }
    }

    package enum Kind: Sendable, Equatable {
        /// A slider that stops at each step.
        case slider(min: Double, max: Double, step: Double)
        /// A slider that stops at these values, which rise.
        case discrete([Double])
        /// One of these.
        case picker([Option])
        /// On or off.
        case toggle
        /// Does something each time that it is set; it has no value.
        case button
        /// Words, shown only.
        case text
    }

    /// `[a-z0-9_]+`.
    package var name: String
    package var title: String
    package var kind: Kind
    package var unit: String?
    package var defaultValue: Value
    package var value: Value
    /// Why it can't be set at the moment; nil: it can. It is shown all the same.
    package var disabledBecause: String?
    /// It can never be set; ``disabledBecause`` says why.
    package var isReadOnly: Bool

    package init(
        _ name: String, _ title: String, _ kind: Kind, unit: String? = nil, default standard: Value,
        value: Value? = nil, disabledBecause: String? = nil, isReadOnly: Bool = false
    ) {
        (self.name, self.title, self.kind, self.unit) = (name, title, kind, unit)
        (self.defaultValue, self.value) = (standard, value ?? standard)
        (self.disabledBecause, self.isReadOnly) = (disabledBecause, isReadOnly)
    }

    /// The value that the control can have and that is nearest to a wish; nil where the wish is of another kind.
    ///
    /// - Returns: the value, and whether the wish was out of range. To be rounded to a step isn't to be out of range.
    package func nearest(to wish: Value) -> (value: Value, clamped: Bool)? {
        switch (kind, wish) {
        case (.toggle, .flag), (.button, .flag(true)): (wish, false)
        case (.button, .number(1)): (.flag(true), false)
        case (.toggle, .number(0)): (.flag(false), false)
        case (.toggle, .number(1)): (.flag(true), false)
        case (.slider(let min, let max, let step), .number(let number)):
            (
                .number(Self.onStep(Swift.min(Swift.max(number, min), max), min, max, step)),
                number < min || number > max
            )
        case (.discrete(let values), .number(let number)):
            Self.nearest(in: values, to: number)
        case (.picker(let options), .number(let number)):
            options.contains { $0.value == number } ? (wish, false) : nil
        case (.toggle, _), (.slider, _), (.discrete, _), (.picker, _), (.button, _), (.text, _): nil
        }
    }

    /// What the control takes, in words.
    package var allowed: String {
        switch kind {
        case .toggle: "true or false"
        case .button: "true"
        case .text: "nothing: it is shown only"
        case .slider(let min, let max, let step):
            "a number from \(plain(min)) to \(plain(max)) in steps of \(plain(step))"
        case .discrete(let values): "one of \(values.map(plain).joined(separator: ", "))"
        case .picker(let options):
            "one of \(options.map { "\(plain($0.value)) (\($0.title))" }.joined(separator: ", "))"
        }
    }

    /// A whole number without the ".0" that nobody would send.
    private func plain(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }

    private static func onStep(_ number: Double, _ min: Double, _ max: Double, _ step: Double) -> Double {
        // Of a range of 64 bits, a Double can't count the steps.
        if step == 1 { return Swift.min(Swift.max(number.rounded(), min), max) }
        // Not every range is a whole number of steps long; one that rounding made a trifle too short is.
        let steps = Swift.min(((number - min) / step).rounded(), ((max - min) / step + 1e-9).rounded(.down))
        return Swift.min(min + steps * step, max)
    }

    private static func nearest(in values: [Double], to number: Double) -> (value: Value, clamped: Bool)? {
        guard let first = values.first, let last = values.last,
            let near = values.min(by: { abs($0 - number) < abs($1 - number) })
        else { return nil }
        return (.number(near), number < first || number > last)
    }
}
