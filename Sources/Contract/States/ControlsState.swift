/// The state of `controls`.
package struct ControlsState: Sendable, Equatable {
    package var values: [String: ControlValue]

    package init(_ values: [String: ControlValue]) { self.values = values }
}

extension ControlsState: StateForm {
    package static var tellsOrigin: Bool { true }

    package init(_ f: inout some FormVisitor<Self>) {
        values = f(
            "values", \.values, .each(.any), "By the names in `info`.")
    }
}
