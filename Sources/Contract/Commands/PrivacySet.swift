/// The payload of `privacy/set`: `ON`, `OFF`, `true`, `false`, or an object.
package enum PrivacySet: String, Sendable, FieldWord, SwitchContent {
    /// Closes the device.
    case on = "ON"
    /// Opens the device again.
    case off = "OFF"

    init(isOn: Bool) { self = isOn ? .on : .off }

    init(_ fields: inout Fields) throws(CommandError) {
        let word = try fields.word("state", of: Self.self)
        try fields.refuseOthers()
        guard let word else { throw fields.error("state", "required: \"ON\" or \"OFF\".") }
        self = word
    }
}
