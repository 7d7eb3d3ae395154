internal import Contract

/// How much the console takes from a broker, to which clients without trust may publish too. In bytes.
enum MessageLimits {
    /// `info` or `availability` of a camera or an agent.
    static let info = 64 << 10
    /// The state of a node. That of 256 presets with 20 controls each has less than half.
    static let state = 512 << 10
    static let event = 64 << 10
    /// An answer that is JSON.
    static let answer = 512 << 10
    /// A preview frame. One of 4,096 × 4,096 pixels has less than half.
    static let picture = 16 << 20
    /// All `info` and `availability` of cameras that are kept.
    static let allInfo = 64 << 20
    /// All states of open cameras that are kept.
    static let allStates = 64 << 20
    /// A text that the list of cameras shows.
    static let text = 256
    /// Groups of a camera that the list shows.
    static let groups = 64

    /// The largest message of a node of a camera.
    static func bytes(of node: String) -> Int {
        switch node {
        case "preview/live": picture
        case "event": event
        case "info", "availability": info
        default: state
        }
    }
}

/// The bytes of messages that are kept.
struct ByteBudget {
    private let limit: Int
    private(set) var used = 0

    init(limit: Int) { self.limit = limit }

    /// Counts a message in the place of another one. What becomes smaller is always taken.
    ///
    /// - Returns: false: there is no room for it.
    mutating func replace(_ old: Int, by new: Int) -> Bool {
        guard new <= old || used - old + new <= limit else { return false }
        used += new - old
        return true
    }
}

/// The messages of cameras that the console did not take because of their sizes. A line of the log counts
/// them.
final class LeftOutMessages {
    private var count = 0
    private var last = ""
    private var pause = ReportPause()

    func add(_ camera: CameraAddress, _ node: String, _ reason: String) {
        count += 1
        last = "\(node) of \(camera): \(reason)"
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
