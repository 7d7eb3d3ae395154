package import FoundationEssentials

/// Times as they are written in messages: RFC 3339, UTC, with milliseconds.
package enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    package static var now: Date { .now }

    package static func text(_ date: Date = .now) -> String { date.formatted(style) }

    /// Reads a time with or without a fraction of a second.
    package static func date(_ text: String) -> Date? {
        (try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
    }
}
