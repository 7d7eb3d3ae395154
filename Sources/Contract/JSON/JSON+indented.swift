extension JSON {
    /// A value as JSON for people: in indented lines, with the fields in the order of their names.
    package var indented: String { indented(in: "\n") }

    /// - Parameter newline: before the lines of the value, with their indentation.
    private func indented(in newline: String) -> String {
        func block(_ first: String, _ parts: [String], _ last: String) -> String {
            first + newline + "  " + parts.joined(separator: ",\(newline)  ") + newline + last
        }
        let inner = newline + "  "
        return switch self {
        case .object(let object) where object.isEmpty: "{\n\(newline)}"
        case .list(let values) where values.isEmpty: "[\n\(newline)]"
        case .object(let object):
            block(
                "{",
                object.members.sorted { $0.name < $1.name }.map {
                    "\(JSON.text($0.name).indented(in: inner)) : \($0.value.indented(in: inner))"
                }, "}")
        case .list(let values): block("[", values.map { $0.indented(in: inner) }, "]")
        case .null, .flag, .integer, .number, .text: String(decoding: JSON.bytes(self), as: UTF8.self)
        }
    }
}
