/// A value as it was written, before its type is known, and where it was written.
struct YAMLNode: Sendable {
    var content: Content
    var origin: ValueOrigin

    enum Content: Sendable {
        case scalar(String, Style)
        case list([YAMLNode])
        case map([Entry])
    }

    enum Style: Sendable {
        /// As most values in YAML: text, a number or nothing, depending on the key's type.
        case plain
        /// Always text: `"5"` in quotes isn't a number.
        case quoted
        /// From a variable or a flag: text without special words.
        case bare
    }

    struct Entry: Sendable {
        let key: String
        let keyOrigin: ValueOrigin
        let value: YAMLNode
    }

    /// Whether nothing was written after the key, or one of YAML's words for nothing.
    var isNothing: Bool {
        switch content {
        case .scalar(let text, .plain): ["", "~", "null", "Null", "NULL"].contains(text)
        case .scalar(let text, .bare): text.isEmpty
        case .scalar, .list, .map: false
        }
    }

    /// The value in an error message, at most about 40 characters of it.
    var found: String {
        switch content {
        case .list: return "a list"
        case .map: return "a group of keys"
        case .scalar where isNothing: return "nothing"
        case .scalar(let text, let style):
            return quote(text) + (style == .quoted && Double(text) != nil ? " in quotes" : "")
        }
    }
}

/// Text in quotes for a message: without control characters, cut when it is long.
func quote(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(40) {
        shown += scalar.isControl ? scalar.escaped(asASCII: true) : "\(scalar)"
    }
    return "\"\(shown)\(text.unicodeScalars.count > 40 ? "…" : "")\""
}

extension Unicode.Scalar {
    /// A control character (Unicode's category Cc), which has no place in a name, a path or a message.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
