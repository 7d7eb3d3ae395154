internal import Contract

/// How much the console takes from a broker, to which clients without trust may publish too.
enum MessageLimits {
    /// The bytes of a preview frame. One of 4,096 × 4,096 pixels has less than half.
    static let picture = 16 << 20
    /// The bytes of a text that the list of cameras shows.
    static let text = 256
    /// Groups of a camera that the list shows.
    static let groups = 64
}

/// The messages that are too large for the console, or for which it has no room. A line of the log counts
/// them.
final class LeftOutMessages {
    private var count = 0
    private var last = ""
    private var pause = ReportPause()

    func add(_ parts: TopicParts, _ reason: String) {
        count += 1
        last = "\(parts.path) of \(parts.placeName): \(reason)"
    }

    /// A line for the log; nil: no message was left out since the last one, or that was less than a minute
    /// ago.
    func takeReport(at time: ContinuousClock.Instant) -> String? {
        guard count > 0, pause.mayReport(at: time) else { return nil }
        defer { count = 0 }
        return "warning: messages left out: \(count); the last one: \(last)"
    }
}

/// Keeps the lines of the log apart that report the same: one in a minute.
struct ReportPause {
    private static let period = Duration.seconds(60)

    private var reported: ContinuousClock.Instant?

    /// Whether a line is to be written now; then the next one is not for a minute.
    mutating func mayReport(at time: ContinuousClock.Instant) -> Bool {
        if let reported, time - reported < Self.period { return false }
        reported = time
        return true
    }
}
