/// The payload of `controls/set`: values by the names of the camera's controls. All are set, or none.
package struct ControlsSet: Sendable, Equatable, CommandForm {
    static let mayHaveTime = true

    package let values: [String: ControlValue]

    package init(_ values: [String: ControlValue]) { self.values = values }

    package init(_ f: inout some FormVisitor<Self>) {
        let values = f.others(\.values, .any, "Value of the control with this name in `info`.")
        f.check(
            !values.isEmpty, nil, "Name at least one control and its value, as {\"brightness\": 128}.")
        self.values = values
    }
}
/// The value of a control: a number, or, for a toggle, on or off.
package enum ControlValue: Sendable, Equatable {
    case number(Double)
    case flag(Bool)
    /// Of a control that is shown only.
    case text(String)
}
