/// A line of a full screen: pieces of text in columns, with optional colours. No text in it
/// is executed by the terminal (``Swift/String/printable``).
package struct ScreenLine {
    /// The codes of "select graphic rendition" (ECMA-48, 8.3.117).
    package enum Colour: Int, Sendable {
        case none = 0
        case bold = 1
        case faint = 2
        case red = 31
        case green = 32
        case yellow = 33
    }

    private var pieces: [(text: String, colour: Colour)] = []

    package init(_ text: String = "", _ colour: Colour = .none) {
        pieces.append((text.printable, colour))
    }

    /// Adds a piece that takes `width` columns and one blank after them. A width of 0 or less adds nothing.
    package mutating func add(_ text: String, _ colour: Colour = .none, width: Int) {
        guard width > 0 else { return }
        pieces.append((text.printable.cut(to: width).filled(to: width) + " ", colour))
    }

    /// The line for a terminal with this number of columns.
    package func text(columns: Int, hasColours: Bool) -> String {
        var left = columns
        var line = ""
        for (text, colour) in pieces where left > 0 {
            // The blank after the last column may be missing.
            let part = text.columns > left ? text.trimmedEnd.cut(to: left) : text
            left -= part.columns
            let isPlain = colour == .none || !hasColours || part.allSatisfy { $0 == " " }
            line += isPlain ? part : "\u{1B}[\(colour.rawValue)m\(part)\u{1B}[0m"
        }
        return line
    }
}

extension String {
    /// The number of columns: East Asian wide characters and emoji take two, accents none.
    var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// At most `width` columns of the text; the last is "…" if the text was cut.
    fileprivate func cut(to width: Int) -> String {
        if columns <= width { return self }
        var kept = String.UnicodeScalarView()
        var left = width - 1
        for scalar in unicodeScalars {
            left -= scalar.columns
            if left < 0 { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }

    func filled(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - columns))
    }
}

extension Unicode.Scalar {
    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: 0
        default: value >= 0x2E80 || (0x1100...0x115F).contains(value) ? 2 : 1
        }
    }
}
