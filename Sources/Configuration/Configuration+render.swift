extension Configuration {
    /// The configuration as YAML, each value with a comment that says where it comes from. Passwords aren't
    /// in it.
    package func effective() -> String {
        var page = YAMLPage()
        for settled in settled {
            page.add(
                settled.key.path(camera: settled.camera), value: settled.text,
                note: settled.text == nil ? "not set" : "\(settled.origin)")
        }
        return page.text
    }

    /// A file with all keys, their meaning and their defaults, to start from. It reads as the defaults.
    package static func sample() -> String {
        var page = YAMLPage()
        for key in Keys.all {
            let unit = key.unit.map { " In \($0)." } ?? ""
            let words = key.standardWords.map { " Default: \($0)." } ?? ""
            page.add(
                key.path(camera: key.isOfCamera ? 0 : nil),
                value: key.standardWords == nil ? key.standardText : nil,
                help: [key.help + unit + words, "Expects \(key.expected)."])
        }
        return page.text
    }

    /// What there is to know of a key, for help and documentation.
    package struct KeyDescription: Sendable {
        /// For instance `cameras[].zoom.max`.
        package let path: String
        /// The environment variable; `0` stands for the camera's number.
        package let variable: String
        /// Completes "expected …".
        package let expected: String
        /// In words or as YAML; nil: unset.
        package let standard: String?
        package let unit: String?
        /// One line.
        package let help: String
    }

    /// All keys, in the order of ``sample()``.
    package static var keys: [KeyDescription] {
        Keys.all.map { key in
            KeyDescription(
                path: key.path, variable: key.variable(), expected: key.expected,
                standard: key.standardWords ?? key.standardText, unit: key.unit, help: key.help)
        }
    }
}

/// YAML in the making: one line for a key, under the lines that open its groups.
private struct YAMLPage {
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
        // A list's number is no line by itself: it becomes the dash before the element's first key.
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
