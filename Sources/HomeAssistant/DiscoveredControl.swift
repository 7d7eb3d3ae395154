/// A control of the camera other than its zoom.
package struct DiscoveredControl: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case slider(min: Double, max: Double, step: Double)
        /// The permitted values, ascending.
        case discrete([Double])
        case picker([Option])
        case toggle
        case button
        /// Text that is only displayed.
        case text
    }

    package struct Option: Sendable, Equatable {
        package var value: Double
        package var title: String
        package init(value: Double, title: String) { (self.value, self.title) = (value, title) }
    }

    /// `[a-z0-9_]+`.
    package var name: String
    package var title: String
    package var kind: Kind
    package var unit: String?
    /// Whether the control can never be set.
    package var isReadOnly: Bool
    /// Whether there are times when it can't be set. Most controls can always be set: they have the
    /// availability of the device, which the document has once.
    package var isSometimesDisabled: Bool

    package init(
        _ name: String, _ title: String, _ kind: Kind, unit: String? = nil, isReadOnly: Bool = false,
        isSometimesDisabled: Bool = false
    ) {
        (self.name, self.title, self.kind, self.unit) = (name, title, kind, unit)
        (self.isReadOnly, self.isSometimesDisabled) = (isReadOnly, isSometimesDisabled)
    }
}
