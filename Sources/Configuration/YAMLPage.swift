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
