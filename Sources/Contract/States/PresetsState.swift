package import ZoomModel

/// A view that is saved under a name.
package struct PresetFields: Sendable, Equatable {
    package var factor: Double
    package var center: Point
    package var controls: [String: ControlValue]
    package var client: String?
    package var proved: Bool?

    package init(
        factor: Double, center: Point, controls: [String: ControlValue], client: String? = nil
    ) {
        (self.factor, self.center, self.controls, self.client) = (factor, center, controls, client)
    }
}

extension PresetFields: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        factor = f("factor", \.factor, .above(0), "The zoom.")
        center = f("center", \.center, .any, "In fractions of the widest field.")
        controls = f(
            "controls", \.controls, .each(.any), "Pan, tilt and focus.")
        client = f.maybe("client", \.client, .identity, "Who saved it.")
        proved = f.maybe("proved", \.proved, .any, "Whether its topic proves the client.")
        f.demand("proved", when: .given("client"), "required with client.")
        f.demand("client", when: .given("proved"), "required with proved.")
    }
}

/// The state of `presets`.
package struct PresetsState: Sendable, Equatable {
    package var presets: [String: PresetFields]
    package var current: String?

    package init(presets: [String: PresetFields], current: String?) {
        (self.presets, self.current) = (presets, current)
    }
}

extension PresetsState: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        presets = f("presets", \.presets, .each(.any), "By name.")
        current = f.maybe("current", \.current, .id, "The preset in view.")
    }
}
