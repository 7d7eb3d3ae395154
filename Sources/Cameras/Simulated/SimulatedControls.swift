internal import Contract

/// The controls of a simulated camera: one of each kind that can be set, and one that another disables.
struct SimulatedControls {
    private(set) var list: [Control] = [
        Control("brightness", "Brightness", .slider(min: 0, max: 255, step: 1), default: .number(128)),
        Control(
            "exposure_bias", "Exposure, Bias", .discrete(exposureBiases), unit: "EV", default: .number(0)),
        Control(
            "power_line_frequency", "Power Line Frequency",
            .picker([.init(0, "Disabled"), .init(1, "50 Hz"), .init(2, "60 Hz"), .init(3, "Auto")]),
            default: .number(1)),
        Control("autofocus", "Focus, Automatic", .toggle, default: .flag(true)),
        Control(
            "focus", "Focus", .slider(min: 0, max: 250, step: 5), default: .number(0),
            disabledBecause: focusIsAutomatic),
    ]

    /// −2 to 2 EV in thirds.
    private static let exposureBiases = (-6...6).map { (Double($0) / 3 * 1000).rounded() / 1000 }
    private static let focusIsAutomatic =
        "the focus is automatic; turn autofocus off first, or in the same command"

    /// Sets all these controls, or none.
    mutating func set(_ values: [String: Control.Value]) throws(CameraError) {
        var changed = self
        // Controls that enable others come first, so that one call can turn autofocus off and set the focus.
        for name in values.keys.sorted() where name != "focus" { changed.set(name, values[name]) }
        changed.enableFocus()
        for control in changed.list {
            if let reason = control.disabledBecause, values[control.name] != nil {
                throw .disabled(control: control.name, reason: reason)
            }
        }
        changed.set("focus", values["focus"])
        self = changed
    }

    private mutating func set(_ name: String, _ value: Control.Value?) {
        guard let value, let place = list.firstIndex(where: { $0.name == name }) else { return }
        list[place].value = value
    }

    private mutating func enableFocus() {
        let isAutomatic = list.first { $0.name == "autofocus" }?.value == .flag(true)
        guard let focus = list.firstIndex(where: { $0.name == "focus" }) else { return }
        list[focus].disabledBecause = isAutomatic ? Self.focusIsAutomatic : nil
    }
}
