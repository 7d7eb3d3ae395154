package import FoundationEssentials

/// Times as they are written in messages: RFC 3339, UTC, with milliseconds.
package enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    package static var now: Date { .now }

    package static func text(_ date: Date = .now) -> String {
        // What is below a millisecond is cut off. A date that is as near to one as its type allows may lie
        // just before it.
        let milliseconds = ((date.timeIntervalSinceReferenceDate + 1e-6) * 1000).rounded(.down)
        // Foundation writes the years before 2001, in which a clock is that was never set, and after 9999.
        guard (0..<252_423_993_600_000).contains(milliseconds) else {
            return date.addingTimeInterval(1e-6).formatted(style)
        }
        return text(sinceReferenceDate: Int(milliseconds))
    }

    /// Foundation's own formatting takes ten times as long.
    ///
    /// - Parameter milliseconds: since the start of 2001, not negative.
    private static func text(sinceReferenceDate milliseconds: Int) -> String {
        let (days, time) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let (year, month, day) = civilDate(days)
        return String(unsafeUninitializedCapacity: 24) { text in
            var end = 0
            func put(_ number: Int, _ width: Int, _ separator: Unicode.Scalar) {
                var rest = number
                for place in (end..<end + width).reversed() {
                    text.initializeElement(at: place, to: UInt8(ascii: "0") + UInt8(rest % 10))
                    rest /= 10
                }
                text.initializeElement(at: end + width, to: UInt8(ascii: separator))
                end += width + 1
            }
            put(year, 4, "-")
            put(month, 2, "-")
            put(day, 2, "T")
            put(time / 3_600_000, 2, ":")
            put(time / 60_000 % 60, 2, ":")
            put(time / 1000 % 60, 2, ".")
            put(time % 1000, 3, "Z")
            return end
        }
    }

    /// The date of a day in the Gregorian calendar.
    ///
    /// Years begin in March here, so that the leap day is the last of its year
    /// (https://howardhinnant.github.io/date_algorithms.html, `civil_from_days`).
    ///
    /// - Parameter days: since the start of 2001, not negative.
    private static func civilDate(_ days: Int) -> (year: Int, month: Int, day: Int) {
        // The first day of March of the year 2000 is the first of a cycle of 400 years.
        let (cycle, day) = (days + 306).quotientAndRemainder(dividingBy: 146_097)
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        return (
            2000 + 400 * cycle + year + (month < 10 ? 0 : 1), month < 10 ? month + 3 : month - 9,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
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
