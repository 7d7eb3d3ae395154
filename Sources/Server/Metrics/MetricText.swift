internal import Contract

/// Metrics in the text format of Prometheus, version 0.0.4
/// (<https://prometheus.io/docs/instrumenting/exposition_formats/>).
struct MetricText {
    /// A label's name, and its value as it is to be shown.
    typealias Label = (name: String, value: String)

    enum Kind: String {
        /// A number that only grows, until the program that counts starts anew.
        case counter
        case gauge
    }

    private(set) var text = ""

    /// Begins a metric; its samples follow.
    ///
    /// - Parameters:
    ///   - help: one line.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Adds a sample; none for nil.
    ///
    /// - Parameter value: NaN for a value that is unknown.
    mutating func add(_ name: String, _ labels: [Label] = [], _ value: Double?) {
        guard let value else { return }
        text += name
        if !labels.isEmpty {
            var separator = "{"
            for label in labels {
                text += "\(separator)\(label.name)=\"\(Self.escaped(label.value))\""
                separator = ","
            }
            text += "}"
        }
        text += " \(Self.text(value))\n"
    }

    private static func text(_ value: Double) -> String { value.isNaN ? "NaN" : value.shortText }

    /// A label's value may be any text: a backslash, a quotation mark and a line break are escaped.
    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { "\\\"\n".utf8.contains($0) }) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
