/// The payload of `privacy/set`: `ON`, `OFF`, `true`, `false`, or an object.
package enum PrivacySet: Sendable, Equatable, CommandContent {
    /// Closes the device.
    case on
    /// Opens the device again.
    case off

    /// The words of the field `state`, in commands and in states.
    package enum Word: String, Sendable, Codable, CaseIterable {
        case on = "ON"
        case off = "OFF"
    }

    init?(bare part: JSONPart) throws(CommandError) {
        switch part.kind {
        case .flag(let isOn): self = isOn ? .on : .off
        case .text(let text):
            guard let command = Self(shortForm: text) else { return nil }
            self = command
        default: return nil
        }
    }

    init?(shortForm word: String) {
        guard let isOn = Bool(onOrOff: word) else { return nil }
        self = isOn ? .on : .off
    }

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
