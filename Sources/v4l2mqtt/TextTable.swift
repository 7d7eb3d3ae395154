/// Lines whose columns stand below each other.
struct TextTable {
    private var rows: [[String]]

    init(_ titles: [String]) { rows = [titles] }

    mutating func add(_ row: [String]) { rows.append(row.map { $0.isEmpty ? "-" : $0 }) }

    var lines: [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let line = zip(row, widths).map { $0.padding(to: $1) }.joined(separator: "  ")
            return line.trimmingSuffix { $0 == " " }
        }
    }

    func print() {
        for line in lines { say(line) }
    }
}

extension String {
    /// With blanks behind it, up to so many characters.
    func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }

    func trimmingSuffix(while isSuperfluous: (Character) -> Bool) -> String {
        var text = self
        while let last = text.last, isSuperfluous(last) { text.removeLast() }
        return text
    }
}

/// A number as a person writes it: without a fraction where there is none, otherwise to a thousandth.
func plain(_ number: Double) -> String {
    guard number.isFinite, abs(number) < 1e15 else { return "\(number)" }
    let rounded = (number * 1000).rounded() / 1000
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
}
