internal import Contract

/// Writes YAML: one line for each key, below the lines that open its groups.
struct YAMLPage {
    private(set) var text = ""
    private var groups: [String] = []

    /// - Parameters:
    ///   - path: as in `cameras.0.zoom.max`.
    ///   - value: nil for a key that is shown as a comment.
    ///   - help: lines above the key.
    ///   - note: a comment beside the key.
    mutating func add(_ path: String, value: String?, help: [String] = [], note: String? = nil) {
        let names = path.split(separator: ".").map(String.init)
        let parents = Array(names.dropLast())
        let common = zip(groups, parents).prefix { $0 == $1 }.count
        // The number of a list's element has no line: it becomes the dash before the element's first key.
        var dash = false
        for (depth, name) in parents.enumerated().dropFirst(common) {
            dash = Int(name) != nil
            if !dash { text += indent(depth) + name + ":\n" }
        }
        groups = parents
        let margin = indent(parents.count)
        for line in help { text += "\(dash ? indent(parents.count - 1) : margin)# \(line)\n" }
        let start = dash ? indent(parents.count - 1) + "- " : margin
        text += value.map { "\(start)\(names.last ?? ""): \($0)" } ?? "\(start)# \(names.last ?? ""):"
        text += note.map { "  # \($0)\n" } ?? "\n"
    }

    private func indent(_ depth: Int) -> String { String(repeating: "  ", count: depth) }
}

/// Text as a YAML scalar that is read as this text: plain where that is safe, otherwise in double quotes.
func yamlText(_ text: String) -> String {
    if isSafePlain(text) { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case UInt32(UInt8(ascii: "\"")), UInt32(UInt8(ascii: "\\")):
            quoted += "\\\(scalar)"
        // YAML's line breaks, and characters that it doesn't allow unescaped.
        case 0..<0x20, 0x7F...0x9F, 0x2028...0x2029, 0xD800...0xF8FF, 0xFEFF, 0xFFF0...0xFFFF:
            let digits = String(scalar.value, radix: 16)
            quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default:
            quoted += "\(scalar)"
        }
    }
    return quoted + "\""
}

/// Whether text needs no quotes: only letters, digits and `_-/.`, no dash first, not YAML's word for nothing.
private func isSafePlain(_ text: String) -> Bool {
    let node = YAMLNode(content: .scalar(text, .plain), origin: .defaultValue)
    guard let first = text.utf8.first, first != UInt8(ascii: "-"), !node.isNothing else { return false }
    return text.utf8.allSatisfy { byte in
        byte.isLetterOrDigit || "_-/.".utf8.contains(byte)
    }
}
