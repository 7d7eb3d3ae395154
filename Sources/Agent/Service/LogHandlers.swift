internal import Base
internal import CLinux
internal import Contract
internal import FoundationEssentials
internal import Glibc
package import Logging
package import Settings
internal import Synchronization

extension Logger {
    /// A logger to standard error.
    package init(label: String, _ settings: LogSettings) {
        let level = Logger.Level(rawValue: settings.level.rawValue) ?? .info
        self.init(label: label) { label in
            LineLogHandler(logLevel: level, format: settings.format)
        }
    }
}

/// Logs each entry as one line to standard error: as text for people, or as JSON for programs.
struct LineLogHandler: LogHandler {
    /// Bytes of a line that, with its line feed, is written as a whole (`clinux_write_if_ready`).
    private static let longestLine = 4095

    var logLevel: Logger.Level
    var format: LogFormat
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let fields = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
        // Text from the bus or from devices may be part of an entry: it forges no lines.
        let line =
            switch format {
            case .text: text(event, fields).printable
            case .json: json("\(event.message)", event.level, fields).printable
            }
        guard line.utf8.count > Self.longestLine else { return LogOutput.shared.put(line) }
        switch format {
        // A scalar that is cut becomes one of three bytes.
        case .text:
            LogOutput.shared.put(String(decoding: line.utf8.prefix(Self.longestLine - 2), as: UTF8.self))
        // A scalar has at most two escapes of six bytes.
        case .json: LogOutput.shared.put(json("\(event.message)".beginning(300), event.level, [:]).printable)
        }
    }

    private func text(_ event: LogEvent, _ fields: [String: String]) -> String {
        let tail = fields.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        // The time is for logs other than systemd's journal, which adds it itself.
        return "\(Timestamp.text()) \(event.level.rawValue): \(event.message)\(tail)"
    }

    private func json(_ message: String, _ level: Logger.Level, _ fields: [String: String]) -> String {
        let metadata = JSONObject(
            distinct: fields.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })
        let entry: JSONObject = [
            "ts": .text(Timestamp.text()), "level": .text(level.rawValue), "message": .text(message),
            "metadata": fields.isEmpty ? nil : .object(metadata),
        ]
        return String(decoding: JSON.bytes(JSON.object(entry)), as: UTF8.self)
    }
}

/// Standard error. The reader of a log may have stopped: lines that would block are counted and
/// dropped.
private final class LogOutput: Sendable {
    static let shared = LogOutput()

    private let lost = Mutex(0)

    func put(_ line: String) {
        lost.withLock { lost in
            if lost > 0, write("\(Timestamp.text()) warning: \(lost) lines of the log were lost") { lost = 0 }
            if lost > 0 || !write(line) { lost += 1 }
        }
    }

    /// Writes a line in one call, so that lines of several processes don't mix. Returns whether the reader
    /// took it.
    private func write(_ line: String) -> Bool {
        let text = line + "\n"
        return clinux_write_if_ready(STDERR_FILENO, text, text.utf8.count) != -EAGAIN
    }
}
