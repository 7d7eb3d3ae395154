internal import Contract

/// Jinja2 templates that Home Assistant applies to states and to commands.
///
/// No template reads a field that may be missing: Home Assistant would log that each time. They have no white
/// space that Jinja doesn't need: the broker keeps one document for each camera.
enum Template {
    /// A Jinja string literal. Characters with a meaning in Python's literals are escaped.
    static func quoted(_ text: String) -> String {
        var quoted = "'"
        for character in text.unicodeScalars {
            if character == "'" || character == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "'"
    }
}

/// The fields of a select whose options stand for values of a camera.
struct Select {
    /// The labels of the options.
    let options: JSON
    /// The template that makes a label of the state.
    private(set) var state: JSON
    /// The command's field, with a template that makes its value of the label.
    private(set) var field: String

    /// Options that stand for texts.
    ///
    /// - Parameters:
    ///   - state: an expression that gives one of the texts, or none.
    ///   - field: the command's field that takes one.
    init(of texts: [String], state: String, field: String) {
        let literals = texts.map(Template.quoted)
        self.init(texts, of: literals, state: state, field: field, filter: "|tojson")
        guard options == .list(texts.map { .text($0) }) else { return }
        // A text that isn't among the options yet gives none: Home Assistant would take it for an error.
        self.state = .text("{{\(state) if \(state) in[\(literals.joined(separator: ","))]else None}}")
        self.field = "\"\(field)\":{{value|tojson}}"
    }

    /// Options that stand for values.
    ///
    /// - Parameters:
    ///   - titles: of the options.
    ///   - values: the values as literals.
    ///   - filter: what makes JSON of such a value.
    init(_ titles: [String], of values: [String], state: String, field: String, filter: String = "") {
        let labels = Self.labels(titles)
        let pairs = zip(labels.map(Template.quoted), values)
        let there = pairs.map { "\($1):\($0)" }.joined(separator: ",")
        let back = pairs.map { "\($0):\($1)" }.joined(separator: ",")
        options = .list(labels.map { .text($0) })
        self.state = .text("{{ {\(there)}.get(\(state))}}")
        self.field = "\"\(field)\":{{ {\(back)}[value]\(filter)}}"
    }

    /// The labels of options. They are unique and not empty, and none is `None`, which Home Assistant takes
    /// for no selection.
    static func labels(_ titles: [String]) -> [String] {
        var taken: Set<String> = []
        return titles.enumerated().map { place, title in
            let trimmed = trimmed(title)
            let plain = trimmed.lowercased() == "none" ? "(\(trimmed))" : trimmed
            let base = plain.isEmpty ? "\(place)" : plain
            var label = base
            var number = 1
            while !taken.insert(label).inserted {
                number += 1
                label = "\(base) (\(number))"
            }
            return label
        }
    }

    /// Home Assistant removes white space at both ends of a template's result.
    private static func trimmed(_ text: String) -> String {
        let visible = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        let isSpace = { (scalar: UnicodeScalar) in scalar.properties.isWhitespace }
        let rest = visible.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        var result = ""
        result.unicodeScalars.append(contentsOf: rest)
        return result
    }
}
