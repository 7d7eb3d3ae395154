/// A line that is safe to print, whatever it was made from: it contains no control characters and no line
/// feeds, but their escapes (``Swift/String/printable``).
///
/// Lines are printed as this type only, so that no caller can forget it.
package struct PrintableLine: Sendable, Equatable, ExpressibleByStringInterpolation,
    CustomStringConvertible
{
    package let text: String

    /// - Parameter text: any text, or JSON of one line, which stays the same JSON.
    package init(_ text: String) { self.text = text.printable }

    package init(stringLiteral text: String) { self.init(text) }

    /// The lines of a text of the program itself. The line feed at its end, if there is one, begins no line.
    package static func lines(of text: String) -> [PrintableLine] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { PrintableLine(String($0)) }
    }

    package var description: String { text }
}
