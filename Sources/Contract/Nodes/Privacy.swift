/// Whether a camera is private.
package enum PrivacySet: String, Sendable, Codable, FieldWord {
    /// Closes the device.
    case on = "ON"
    /// Opens the device again.
    case off = "OFF"
}

/// The payload of `privacy/set`: `ON`, `OFF`, `true`, `false`, or an object.
struct PrivacyCommand: Equatable, SwitchForm {
    let state: PrivacySet

    init(isOn: Bool) { state = isOn ? .on : .off }

    init(_ f: inout some FormVisitor<Self>) {
        state = f(
            "state", \.state, .any, "`ON` closes the device, `OFF` opens it again.",
            missing: "required: \"ON\" or \"OFF\".")
    }
}
