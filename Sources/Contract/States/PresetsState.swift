package import ZoomModel

/// A view that is saved under a name.
package struct PresetFields: Sendable, Equatable, Codable {
    package var factor: Double
    /// The middle of the view, in fractions of the widest field.
    package var center: Point
    /// Pan, tilt and focus, as far as the camera has them.
    package var controls: [String: ControlValue]
    /// The client that saved it, if it gave a name.
    package var client: String?
    /// Whether the command came on the topic of the client's account. Nil: there is no client.
    package var proved: Bool?

    package init(
        factor: Double, center: Point, controls: [String: ControlValue], client: String? = nil
    ) {
        (self.factor, self.center, self.controls, self.client) = (factor, center, controls, client)
    }
}

/// The state of `presets`.
package struct PresetsState: Sendable, Equatable, Codable {
    package var presets: [String: PresetFields]
    /// The preset that the camera shows now; nil: none.
    package var current: String?

    package init(presets: [String: PresetFields], current: String?) {
        (self.presets, self.current) = (presets, current)
    }
}
