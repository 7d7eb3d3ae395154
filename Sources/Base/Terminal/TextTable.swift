/// A table of text whose columns are aligned. An empty cell is shown as "-".
package struct TextTable {
    package typealias Cell = (text: String, colour: ScreenLine.Colour)

    private var rows: [[Cell]]

    package init(_ titles: [String]) { rows = [titles.map { ($0, .bold) }] }

    /// Adds a row, which has as many cells as there are titles.
    package mutating func add(_ row: [String]) { add(row.map { ($0, .none) }) }

    /// Adds a row with colours, which only a screen shows.
    package mutating func add(_ row: [Cell]) {
        rows.append(row.map { $0.text.isEmpty ? ("-", .none) : ($0.text.printable, $0.colour) })
    }

    private var widths: [Int] {
        rows[0].indices.map { column in rows.map { $0[column].text.columns }.max() ?? 0 }
    }

    /// The titles and the rows, without blanks at the end of a line.
    package var lines: [PrintableLine] {
        let widths = widths
        return rows.map { row in
            let cells = zip(row, widths).map { $0.text.filled(to: $1) }
            return PrintableLine(cells.joined(separator: "  ").trimmedEnd)
        }
    }

    /// The same on a screen.
    package var screenLines: [ScreenLine] {
        let widths = widths
        return rows.map { row in
            var line = ScreenLine()
            for (cell, width) in zip(row, widths) { line.add(cell.text, cell.colour, width: width + 1) }
            return line
        }
    }
}
