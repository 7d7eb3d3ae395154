package import Contract

/// A control and its value as they were written on the command line.
package struct ControlSetting: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }

    /// Parses `name=value` as one word, or a name and its value as two. The value may look like anything.
    package static func parse(_ words: [String]) throws(CommandError) -> [ControlSetting] {
        var settings: [ControlSetting] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            let setting: ControlSetting
            if let equals = word.firstIndex(of: "=") {
                setting = .init(
                    name: String(word[..<equals]), value: String(word[word.index(after: equals)...]))
            } else if let value = rest.popFirst() {
                setting = .init(name: word, value: value)
            } else {
                throw CommandError(.badPayload, "\(word) lacks a value, as in \(word) 1 or \(word)=1.")
            }
            if settings.contains(where: { $0.name == setting.name }) {
                throw CommandError(.badPayload, "\(setting.name) is given twice.")
            }
            if setting.name.isEmpty || Envelope.names.contains(setting.name) {
                throw CommandError(.badPayload, "No control is called \"\(setting.name)\".")
            }
            settings.append(setting)
        }
        return settings
    }
}
