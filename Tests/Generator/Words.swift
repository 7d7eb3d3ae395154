import Contract

/// The words of the fuzzers' dictionaries that follow from the forms, between `# <name>` and `# </name>`.
enum Words {
    static func text(_ before: String) -> String {
        let nodes = Node.allCases.map(\.name)
        var text = before.replacing("nodes", nodes.map { quoted("\"\($0)\"") })
        text = text.replacing("topics", nodes.map { quoted("/\($0)") })
        var all: [String] = []
        for command in Node.allCases.map(\.command) {
            for form in [command.envelope, command.cancel, command.form] {
                for word in form.map(words) ?? [] where !all.contains(word) { all.append(word) }
            }
        }
        return text.replacing("commands", all)
    }

    private static func quoted(_ text: String) -> String { "\"\(text.replacing("\"", with: "\\\""))\"" }

    private static func words(_ form: FormDescription) -> [String] {
        form.withGroups.flatMap { [quoted("\"\($0.name)\":")] + words($0.kind) }
    }

    private static func words(_ kind: FieldKind) -> [String] {
        switch kind {
        case .words(let words): words.map { quoted("\"\($0)\"") }
        case .object(let form?): words(form)
        case .list(let kind, _, _), .map(let kind), .orNull(let kind): words(kind)
        default: []
        }
    }
}
