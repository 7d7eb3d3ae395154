/// A line of a full screen: pieces of text in columns, some of them in colour.
struct ScreenLine {
    /// As the terminal's "select graphic rendition" numbers them (ECMA-48, 8.3.117).
    enum Colour: Int {
        case none = 0
        case bold = 1
        case faint = 2
        case red = 31
        case green = 32
        case yellow = 33
    }

    private var pieces: [(text: String, colour: Colour)] = []

    init(_ text: String = "", _ colour: Colour = .none) { pieces.append((text, colour)) }

    /// A piece that takes just so many columns, and a blank after it.
    mutating func add(_ text: String, _ colour: Colour = .none, width: Int) {
        guard width > 0 else { return }
        pieces.append((text.cut(to: width).filled(to: width) + " ", colour))
    }

    /// The line for a terminal of so many columns.
    func text(columns: Int, hasColours: Bool) -> String {
        var left = columns
        var line = ""
        for (text, colour) in pieces where left > 0 {
            // The blank behind the last column needn't be there.
            let part = text.columns > left ? text.trimmingSuffix { $0 == " " }.cut(to: left) : text
            left -= part.columns
            let isPlain = colour == .none || !hasColours || part.allSatisfy { $0 == " " }
            line += isPlain ? part : "\u{1B}[\(colour.rawValue)m\(part)\u{1B}[0m"
        }
        return line
    }
}

extension String {
    /// The columns that it takes at most: letters of East Asia and pictures take two.
    fileprivate var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

    /// Its beginning, in at most so many columns, with "…" where something is missing.
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

    fileprivate func filled(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - columns))
    }
}

extension Unicode.Scalar {
    fileprivate var columns: Int { value >= 0x2E80 || (0x1100...0x115F).contains(value) ? 2 : 1 }
}
