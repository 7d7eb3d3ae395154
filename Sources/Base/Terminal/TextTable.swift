/// A table of text whose columns are aligned. An empty cell is shown as "-".
package struct TextTable {
    private var rows: [[String]]

    package init(_ titles: [String]) { rows = [titles] }

    /// Adds a row, which has as many cells as there are titles.
    package mutating func add(_ row: [String]) {
        rows.append(row.map { $0.isEmpty ? "-" : $0.printable })
    }

    /// The titles and the rows, without blanks at the end of a line.
    package var lines: [PrintableLine] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
        return rows.map { row in
            PrintableLine(zip(row, widths).map { $0.filled(to: $1) }.joined(separator: "  ").trimmedEnd)
        }
    }
}
