package import Contract

/// A control of a camera, in a form that user interfaces can show.
package struct Control: Sendable, Equatable {
    package typealias Value = ControlValue

    package struct Option: Sendable, Equatable {
        package var value: Double
        package var title: String

        package init(_ value: Double, _ title: String) {
            (self.value, self.title) = (value, title)
        }
    }

    package enum Kind: Sendable, Equatable {
        /// A number from `min` to `max` in steps.
        case slider(min: Double, max: Double, step: Double)
        /// One of these numbers, which rise.
        case discrete([Double])
        /// One of these options.
        case picker([Option])
        /// On or off.
        case toggle
        /// An action for each time that it is set; it has no value.
        case button
        /// A text that can only be shown.
        case text
    }

    /// `[a-z0-9_]+`.
    package var name: String
    package var title: String
    package var kind: Kind
    package var unit: String?
    package var defaultValue: Value
    package var value: Value
    /// The reason why it cannot be set at the moment; nil: it can. It is shown in any case.
    package var disabledBecause: String?
    /// Whether it can never be set; ``disabledBecause`` has the reason.
    package var isReadOnly: Bool
    /// Whether it is the camera's own privacy control: while it is on, no picture leaves the camera.
    package var isPrivacy: Bool

    package init(
        _ name: String, _ title: String, _ kind: Kind, unit: String? = nil, default standard: Value,
        value: Value? = nil, disabledBecause: String? = nil, isReadOnly: Bool = false,
        isPrivacy: Bool = false
    ) {
        (self.name, self.title, self.kind, self.unit) = (name, title, kind, unit)
        (self.defaultValue, self.value) = (standard, value ?? standard)
        (self.disabledBecause, self.isReadOnly) = (disabledBecause, isReadOnly)
        self.isPrivacy = isPrivacy
    }

    /// The control's value that is nearest to a requested one; nil if that is of another kind.
    ///
    /// - Returns: the value, and whether the requested one was out of range. Rounding to a step does not
    ///   count as out of range.
    package func nearest(to wanted: Value) -> (value: Value, clamped: Bool)? {
        switch (kind, wanted) {
        case (.toggle, .flag), (.button, .flag(true)): (wanted, false)
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
            options.contains { $0.value == number } ? (wanted, false) : nil
        case (.toggle, _), (.slider, _), (.discrete, _), (.picker, _), (.button, _), (.text, _): nil
        }
    }

    /// The allowed values, for error messages.
    package var allowed: String {
        switch kind {
        case .toggle: "true or false"
        case .button: "true"
        case .text: "nothing: it is shown only"
        case .slider(let min, let max, let step):
            "a number from \(min.shortText) to \(max.shortText) in steps of \(step.shortText)"
        case .discrete(let values): "one of \(values.map(\.shortText).joined(separator: ", "))"
        case .picker(let options):
            "one of \(options.map { "\($0.value.shortText) (\($0.title))" }.joined(separator: ", "))"
        }
    }

    private static func onStep(_ number: Double, _ min: Double, _ max: Double, _ step: Double) -> Double {
        // A Double cannot count the steps of a range of 64 bits.
        if step == 1 { return Swift.min(Swift.max(number.rounded(), min), max) }
        // The last step may be incomplete, and is not reached then. The tolerance is for rounding errors.
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
