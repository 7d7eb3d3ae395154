/// The state of `controls`.
package struct ControlsState: Sendable, Equatable, Codable {
    package var values: [String: ControlValue]

    package init(_ values: [String: ControlValue]) { self.values = values }
}
