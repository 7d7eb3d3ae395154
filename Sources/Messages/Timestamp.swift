package import FoundationEssentials

/// Times as they are written in messages: RFC 3339, UTC, with milliseconds.
package enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    package static var now: Date { .now }

    package static func text(_ date: Date = .now) -> String {
        // The style cuts off what is below a millisecond; a date as near to one as its type allows may lie
        // just before it.
        date.addingTimeInterval(1e-6).formatted(style)
    }

    /// Reads a time as RFC 3339 has it, with or without a fraction of a second, in UTC or with an offset.
    package static func date(_ text: String) -> Date? {
        guard isWellFormed(text) else { return nil }
        return (try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
    }

    /// Whether each part of the text is there and in its range, and nothing else: Foundation takes the 30th
    /// of February for the 2nd of March, and leaves unread what follows.
    private static func isWellFormed(_ text: String) -> Bool {
        var digits = Digits(rest: text.utf8[...])
        guard let year = digits.number(4, in: 0...9999), digits.take("-"),
            let month = digits.number(2, in: 1...12), digits.take("-"),
            digits.number(2, in: 1...length(ofMonth: month, year)) != nil, digits.take("T"),
            digits.number(2, in: 0...23) != nil, digits.take(":"),
            digits.number(2, in: 0...59) != nil, digits.take(":"),
            digits.number(2, in: 0...60) != nil  // 60: a leap second.
        else { return false }
        if digits.take(".") {
            guard digits.number(1, in: 0...9) != nil else { return false }
            while digits.number(1, in: 0...9) != nil {}
        }
        if digits.take("Z") { return digits.rest.isEmpty }
        guard digits.take("+") || digits.take("-"), digits.number(2, in: 0...23) != nil, digits.take(":"),
            digits.number(2, in: 0...59) != nil
        else { return false }
        return digits.rest.isEmpty
    }

    private static func length(ofMonth month: Int, _ year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }
}

/// A text read digit by digit.
private struct Digits {
    var rest: Substring.UTF8View

    /// Reads a number of this many digits; nil, without consuming any, if there is none.
    mutating func number(_ count: Int, in range: ClosedRange<Int>) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let number = digits.reduce(0) { 10 * $0 + Int($1 & 15) }
        guard range.contains(number) else { return nil }
        rest = rest.dropFirst(count)
        return number
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first.map(Unicode.Scalar.init) == character else { return false }
        rest = rest.dropFirst()
        return true
    }
}
