/// The report as a plot (SVG) and as a page (HTML) with the plot and its figures. Neither needs other files.
package struct ReportPage {
    private let report: SwarmReport

    package init(_ report: SwarmReport) { self.report = report }

    // MARK: The page

    package var html: String {
        let rows = report.scenarios.map { scenario in
            let cells = [
                scenario.name, Self.text(scenario.begin_s), Self.text(scenario.first_s),
                Self.text(scenario.median_s), Self.text(scenario.last_s), "\(scenario.missing)",
                "\(scenario.messages)", "\(scenario.peak_messages_per_s)",
            ]
            return "<tr>" + cells.map { "<td>\(Self.escaped($0))</td>" }.joined() + "</tr>"
        }
        let failures = report.failures.map { "<li>\(Self.escaped($0))</li>" }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <title>\(Self.escaped(title))</title>
            <style>
            body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
            table { border-collapse: collapse; } td, th { padding: .2em .8em; text-align: right; }
            td:first-child, th:first-child { text-align: left; } tr { border-bottom: 1px solid #ccc; }
            svg { max-width: 100%; height: auto; }
            </style>
            <h1>\(Self.escaped(title))</h1>
            <p>\(facts.map(Self.escaped).joined(separator: "<br>\n"))</p>
            \(failures.isEmpty ? "" : "<p>The run failed:</p>\n<ul>\(failures.joined())</ul>")
            \(svg)
            <table>
            <tr><th>scenario</th><th>begin, s</th><th>first, s</th><th>median, s</th><th>last, s</th>\
            <th>missing</th><th>messages</th><th>most in a second</th></tr>
            \(rows.joined(separator: "\n"))
            </table>
            </html>

            """
    }

    private var title: String { "\(report.agents) agents on \(report.hosts.joined(separator: ", "))" }

    private var facts: [String] {
        var facts = [
            "\(report.started), v4l2mqtt-swarm \(report.version), \(report.processes) processes, spread \(report.spread_s) s"
        ]
        if let retained = report.retained {
            facts.append(
                "One agent retains \(retained.messages) messages of \(retained.bytes) bytes, of which \(retained.discovery_bytes) are its discovery document."
            )
        }
        if let memory = report.broker_memory {
            facts.append(
                "Memory of the broker: \(memory.before_bytes) bytes before, \(memory.after_bytes) bytes with all agents: \(memory.bytes_per_camera) bytes for each camera."
            )
        }
        if let lost = report.not_observed, lost > 0 {
            facts.append("The broker dropped messages for this program: it has counted too few.")
        }
        return facts
    }

    // MARK: The plot

    private static let width = 960.0
    private static let left = 80.0
    private static let right = 20.0
    private static let panelHeight = 190.0
    private static let tops = [40.0, 290.0]
    private static let height = 520.0

    /// Agents and messages over time, with the begin of each scenario.
    package var svg: String {
        let end = Double(max(1, report.seconds.count))
        let connected = report.seconds.map { Double($0.connected) }
        let messages = report.seconds.map { Double($0.messages) }
        let marks = report.scenarios.map { scenario in
            let x = Self.number(x(scenario.begin_s, of: end))
            return """
                <line x1="\(x)" x2="\(x)" y1="24" y2="\(Self.number(Self.tops[1] + Self.panelHeight))" stroke="#999" \
                stroke-dasharray="4 3"/><text x="\(x)" y="18" dx="3">\(Self.escaped(scenario.name))</text>
                """
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.number(Self.width)) \(Self.number(Self.height))" \
            width="\(Self.number(Self.width))" height="\(Self.number(Self.height))" font-family="sans-serif" font-size="12" fill="#222">
            <rect width="100%" height="100%" fill="#fff"/>
            \(panel("agents connected", connected, top: Self.tops[0], end: end, area: false))
            \(panel("messages in each second", messages, top: Self.tops[1], end: end, area: true))
            \(marks.joined(separator: "\n"))
            <text x="\(Self.number(Self.width / 2))" y="\(Self.number(Self.height - 6))" text-anchor="middle">seconds</text>
            </svg>
            """
    }

    private func panel(_ name: String, _ values: [Double], top: Double, end: Double, area: Bool) -> String {
        let most = Self.ceiling(values.max() ?? 0)
        let bottom = top + Self.panelHeight
        let points = values.enumerated().map { index, value in
            let (x, y) = (x(Double(index) + 1, of: end), bottom - value / most * Self.panelHeight)
            return "\(Self.number(x)),\(Self.number(y))"
        }
        var parts = ["<text x=\"\(Self.number(Self.left))\" y=\"\(Self.number(top - 4))\">\(name)</text>"]
        for fraction in [0, 0.5, 1] {
            let y = Self.number(bottom - fraction * Self.panelHeight)
            parts.append(
                """
                <line x1="\(Self.number(Self.left))" x2="\(Self.number(Self.width - Self.right))" y1="\(y)" y2="\(y)" \
                stroke="#ddd"/><text x="\(Self.number(Self.left - 6))" y="\(y)" dy="4" text-anchor="end">\(Self.number(most * fraction))</text>
                """)
        }
        for second in stride(from: 0, through: end, by: Self.ceiling(end / 8)) {
            let x = Self.number(x(second, of: end))
            parts.append(
                "<text x=\"\(x)\" y=\"\(Self.number(bottom + 16))\" text-anchor=\"middle\">\(Self.number(second))</text>"
            )
        }
        let start = "\(Self.number(Self.left)),\(Self.number(bottom))"
        let line = ([start] + points).joined(separator: " ")
        let close = " \(Self.number(x(Double(values.count), of: end))),\(Self.number(bottom))"
        parts.append(
            area
                ? "<polygon points=\"\(line)\(close)\" fill=\"#e0a030\"/>"
                : "<polyline points=\"\(line)\" fill=\"none\" stroke=\"#2060c0\" stroke-width=\"2\"/>")
        return parts.joined(separator: "\n")
    }

    private func x(_ second: Double, of end: Double) -> Double {
        Self.left + second / end * (Self.width - Self.left - Self.right)
    }

    /// The next number of the form 1, 2 or 5 times a power of ten; at least 1.
    static func ceiling(_ value: Double) -> Double {
        var step = 1.0
        while true {
            for factor in [1.0, 2, 5] where step * factor >= value { return step * factor }
            step *= 10
        }
    }

    // MARK: Text

    /// At most one decimal.
    private static func number(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    private static func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "none" }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
    }
}
