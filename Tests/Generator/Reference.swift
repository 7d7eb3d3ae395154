import Contract
import ZoomModel

/// The tables of `schemas/reference.md`, behind `# Fields`. What stands before is written by hand.
struct Reference {
    private typealias Row = (name: String, type: String, sentence: String)

    /// What stands above is not said again.
    private var said: Set<String> = []

    /// - Parameter before: the file as it is.
    static func text(_ before: String) -> String {
        var (reference, lines) = (Self(), before.split(separator: "\n", omittingEmptySubsequences: false))
        lines.removeSubrange((lines.firstIndex(of: "# Fields") ?? lines.endIndex)...)
        let (privacy, stamped) = (PrivacyState.description, Stamped<PrivacyState>.description)
        let stamp = stamped.without(privacy.fields.map(\.name))
        var text = lines.joined(separator: "\n") + "\n# Fields\n"
        text += reference.table("Commands", Node.zoom.command.envelope, isCommand: true)
        text += reference.table("States", stamp, isCommand: false)
        for (name, form) in SchemaFile.forms { text += reference.table(name, form, isCommand: false) }
        let files = SchemaFile.all.filter { $0.name != "image.headers" && $0.name != "refresh.set" }
        var topics: [String] = []
        for file in files where !topics.contains(file.words[0]) { topics.append(file.words[0]) }
        for file in topics.flatMap({ topic in files.filter { $0.words[0] == topic } }) {
            let isStamped = file.form.fields.contains { $0.name == "ts" }
            let form = isStamped ? file.form.without(stamp.fields.map(\.name)) : file.form
            text += reference.table(file.heading, form, isCommand: file.command != nil)
        }
        return text
    }

    private mutating func table(_ title: String, _ form: FormDescription, isCommand: Bool) -> String {
        var rows: [Row] = form.others.map { [("…", Self.type($0.kind, true), $0.sentence)] } ?? []
        for row in Self.rows(form.withGroups, "", isCommand) {
            if let last = rows.last, (last.type, last.sentence) == (row.type, row.sentence) {
                rows[rows.count - 1].name += ", \(row.name)"
            } else {
                rows.append(row)
            }
        }
        let lines = rows.map { row in
            let isNew = said.insert(row.sentence).inserted || row.sentence.utf8.count < 25
            return "|\(row.name)|\(row.type)|\(isNew ? row.sentence : "")|\n"
        }
        return "\n## \(title)\n\n|field|type|meaning|\n|-|-|-|\n" + lines.joined()
    }

    private static func rows(
        _ fields: [FormDescription.Field], _ outer: String, _ isCommand: Bool
    ) -> [Row] {
        fields.flatMap { field -> [Row] in
            var (name, type) = ("`\(outer)\(field.name)`", type(field.kind, isCommand))
            switch field.presence {
            case .required: if isCommand { type += ", required" }
            case .usual(let text) where text.isEmpty || text == "false": break
            case .usual(let text): type += ", default \(text.replacing("\"", with: "`"))"
            case .optional: if !isCommand { name += "?" }
            }
            let (inner, form) = inside(field.kind)
            let below = form.map { rows($0.fields, "\(outer)\(field.name)\(inner).", isCommand) } ?? []
            return [(name, type, field.sentence)] + below
        }
    }

    /// The fields of an object that has no table of its own.
    private static func inside(_ kind: FieldKind) -> (String, FormDescription?) {
        switch kind {
        case .object(let form?) where name(form) == nil: ("", form)
        case .list(let element, _, _): ("[]\(inside(element).0)", inside(element).1)
        case .map(let element): (".…\(inside(element).0)", inside(element).1)
        case .orNull(let kind): inside(kind)
        default: ("", nil)
        }
    }

    private static func name(_ form: FormDescription) -> String? {
        let others = [
            ("as `zoom/set`", ZoomGoal.description), ("state of `zoom`", Stamped<ZoomState>.description),
        ]
        return (SchemaFile.forms + others).first { $0.1.fields.map(\.name) == form.fields.map(\.name) }?.0
    }

    /// - Parameter hasBounds: also a bound at one end.
    private static func type(_ kind: FieldKind, _ hasBounds: Bool) -> String {
        switch kind {
        case .number(let rule) where rule.most < .infinity:
            "\(JSON.number(rule.least).fileText())…\(JSON.number(rule.most).fileText())"
        case .number(let rule):
            hasBounds && rule.least > -.infinity
                ? "number \(rule.isAbove ? ">" : "≥") \(JSON.number(rule.least).fileText())" : "number"
        case .integer(let range) where range.upperBound < .max: "\(range.lowerBound)…\(range.upperBound)"
        case .integer(let range):
            hasBounds && range.lowerBound > .min ? "integer ≥ \(range.lowerBound)" : "integer"
        case .flag: "boolean"
        case .onlyTrue: "`true`"
        case .onlyFalse: "`false`"
        case .text(let rule): text(rule)
        case .time: "time"
        case .words(let words) where words.count > 12: "string"
        case .words(let words): words.map { "`\($0)`" }.joined(separator: ", ")
        case .controlValue: "value"
        case .object(let form): form.flatMap(name) ?? "object"
        case .list(let element, let count, orOne: true):
            "\(type(element, hasBounds)), or list of \(count.lowerBound)…\(count.upperBound)"
        case .list(let element, let count, _):
            "list of \(type(element, hasBounds))"
                + (count.upperBound < .max ? ", \(count.lowerBound)…\(count.upperBound)" : "")
        case .map(let element): "object of \(type(element, hasBounds))"
        case .json: "any"
        case .orNull(let kind): "\(type(kind, hasBounds)), `null`"
        }
    }

    private static func text(_ rule: TextRule) -> String {
        switch rule.format {
        case .any where rule.bytes == 0 || rule.bytes == .max: "string"
        case .any, .words: "\(rule.least)…\(rule.bytes) bytes"
        case .line: "line"
        case .name: "name"
        case .fileName: "file name"
        case .orNumber: "string, integer"
        case .stamp: "time"
        case .hexadecimal: "hexadecimal"
        }
    }
}

extension SchemaFile {
    fileprivate var heading: String {
        command == nil && !["state", "live"].contains(words.last) ? title : "`\(topic)`"
    }
}
