internal import CLinux
internal import FoundationEssentials
internal import Glibc
internal import Logging
internal import Messages
internal import Settings
internal import Synchronization

extension Logger {
    /// A logger to standard error.
    init(label: String, _ settings: LogSettings) {
        let level = Logger.Level(rawValue: settings.level.rawValue) ?? .info
        self.init(label: label) { label in
            LineLogHandler(logLevel: level, format: settings.format == .json ? .json : .text)
        }
    }
}

/// Logs each entry as one line to standard error: as text for people, or as JSON for programs.
struct LineLogHandler: LogHandler {
    enum Format: Sendable {
        case text, json
    }

    private struct Entry: Encodable {
        let ts: String
        let level: String
        let message: String
        let metadata: [String: String]?
    }

    var logLevel: Logger.Level
    var format: Format
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        let line: String
        switch format {
        case .text:
            let tail = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            // The time is for logs other than systemd's journal, which adds it itself.
            line = "\(Timestamp.text()) \(event.level.rawValue): \(event.message)\(tail)\n"
        case .json:
            let entry = Entry(
                ts: Timestamp.text(), level: event.level.rawValue, message: "\(event.message)",
                metadata: fields.isEmpty ? nil : fields)
            line = String(decoding: JSON.bytes(entry), as: UTF8.self) + "\n"
        }
        LogOutput.shared.put(line)
    }
}

/// Standard error. The reader of a log may have stopped: lines that would block are counted and
/// dropped.
private final class LogOutput: Sendable {
    static let shared = LogOutput()

    private let lost = Mutex(0)

    func put(_ line: String) {
        lost.withLock { lost in
            // One write for each line, so that lines of several processes don't mix.
            let text =
                lost > 0 ? "\(Timestamp.text()) warning: \(lost) lines of the log were lost\n\(line)" : line
            if clinux_write_if_ready(STDERR_FILENO, text, text.utf8.count) == -EAGAIN {
                lost += 1
            } else {
                lost = 0
            }
        }
    }
}
