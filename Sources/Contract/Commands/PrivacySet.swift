/// The payload of `privacy/set`: `ON`, `OFF`, `true`, `false`, or an object.
package enum PrivacySet: Sendable, Equatable, SwitchContent {
    /// Closes the device.
    case on
    /// Opens the device again.
    case off

    /// The words of the field `state`, in commands and in states.
    package enum Word: String, Sendable, Codable, CaseIterable {
        case on = "ON"
        case off = "OFF"
    }

    init(isOn: Bool) { self = isOn ? .on : .off }

    init(_ fields: inout Fields) throws(CommandError) {
        let word = try fields.word("state", of: Word.self)
        try fields.refuseOthers()
        switch word {
        case .on: self = .on
        case .off: self = .off
        case nil: throw fields.error("state", "required: \"ON\" or \"OFF\".")
        }
    }
}
