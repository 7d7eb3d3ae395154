/// Jinja2 templates that Home Assistant applies to states and to commands.
///
/// No template reads a field that may be missing: Home Assistant would log that each time. They have no white
/// space that Jinja doesn't need: the broker keeps one document for each camera.
enum Template {
    /// The JSON of a command, with the name of its client.
    static func command(_ fields: String, by client: String) -> DocumentValue {
        "{\(fields),\"client\":\"\(client)\"}"
    }

    /// `ON` or `OFF`, depending on a condition.
    static func onOff(_ condition: String) -> DocumentValue { "{{'ON'if \(condition) else'OFF'}}" }

    /// Of a switch that is turned `ON` or `OFF`: `true` or `false`.
    static let isOn = "{{(value=='ON')|tojson}}"

    /// A Jinja string literal. Characters with a meaning in Python's literals are escaped.
    static func quoted(_ text: String) -> String {
        var quoted = "'"
        for character in text.unicodeScalars {
            if character == "'" || character == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(character)
        }
        return quoted + "'"
    }

    /// A number as a literal; integers without a fraction.
    static func number(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }

    /// A control's value; `None` while the retained state is that of another device without this control.
    static func value(of control: String) -> String { "value_json['values'].get('\(control)')" }
}

/// The labels of a select's options, and the values that they stand for. Labels are unique and not empty, and
/// none is `None`, which Home Assistant takes for no selection.
package struct Labels {
    package let labels: [String]

    package init(_ titles: [String]) {
        var taken: Set<String> = []
        labels = titles.enumerated().map { place, title in
            let trimmed = Self.trimmed(title)
            let plain = trimmed.lowercased() == "none" ? "(\(trimmed))" : trimmed
            var label = plain.isEmpty ? "\(place)" : plain
            var number = 1
            while !taken.insert(label).inserted {
                number += 1
                label = "\(plain) (\(number))"
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

    /// Fields of a select whose options stand for these texts.
    ///
    /// - Parameters:
    ///   - state: an expression that gives one of the texts, or none.
    ///   - field: the command's field that takes one.
    ///   - client: the sender of the command.
    static func select(of texts: [String], state: String, field: String, by client: String) -> Object {
        let labels = Labels(texts).labels
        // A text that isn't among the options yet gives none: Home Assistant would take it for an error.
        let pairs = zip(labels, texts).map { (Template.quoted($0), Template.quoted($1)) }
        guard labels == texts else {
            return select(labels, pairs, state: state, result: "\"\(field)\":", filter: "|tojson", client)
        }
        let list = pairs.map(\.1).joined(separator: ",")
        return [
            "ops": .list(labels.map { .text($0) }),
            "val_tpl": "{{\(state) if \(state) in[\(list)]else None}}",
            "cmd_tpl": Template.command("\"\(field)\":{{value|tojson}}", by: client),
        ]
    }

    /// Fields of a select whose options stand for these numbers.
    static func select(
        of options: [DiscoveredControl.Option], state: String, field: String, by client: String
    ) -> Object {
        let labels = Labels(options.map(\.title)).labels
        let pairs = zip(labels, options).map { (Template.quoted($0), Template.number($1.value)) }
        return select(labels, pairs, state: state, result: "\"\(field)\":", filter: "", client)
    }

    private static func select(
        _ labels: [String], _ pairs: [(label: String, value: String)], state: String, result: String,
        filter: String, _ client: String
    ) -> Object {
        let there = pairs.map { "\($0.value):\($0.label)" }.joined(separator: ",")
        let back = pairs.map { "\($0.label):\($0.value)" }.joined(separator: ",")
        return [
            "ops": .list(labels.map { .text($0) }),
            "val_tpl": "{{ {\(there)}.get(\(state))}}",
            "cmd_tpl": Template.command("\(result){{ {\(back)}[value]\(filter)}}", by: client),
        ]
    }
}
