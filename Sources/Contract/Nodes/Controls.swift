extension Node {
    package static var controls: Node { Node(Controls.self) }

    /// The controls of the device.
    package enum Controls: NodeContract {
        package typealias Command = ControlsSet
        package typealias State = ControlsState
        package static var name: String { "controls" }
        package static var isCounted: Bool { true }
    }
}

/// The payload of `controls/set`: values by the names of the camera's controls. All are set, or none.
package struct ControlsSet: CommandForm {
    package static let mayHaveTime = true

    package let values: [String: ControlValue]

    package init(_ values: [String: ControlValue]) { self.values = values }

    package var policy: CommandPolicy { CommandPolicy(savesState: true) }

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

/// The state of `controls`.
package struct ControlsState: StateForm {
    package var values: [String: ControlValue]

    package init(_ values: [String: ControlValue]) { self.values = values }

    package static var tellsOrigin: Bool { true }

    package init(_ f: inout some FormVisitor<Self>) {
        values = f(
            "values", \.values, .each(.any), "By the names in `info`.")
    }
}

extension Node.Controls {
    package struct Saved: SavedPart {
        /// The controls that a command set, with the values that were read back.
        package var values: [String: ControlValue] = [:]

        package init() {}

        package init(_ f: inout some FormVisitor<Self>) {
            values = f("controls", \.values, .each(.any), "What a command set.")
        }
    }
}
