package import Logging
internal import Synchronization

/// What was logged from a level on.
package final class CollectedLog: Sendable {
    private let collected = Mutex<[String]>([])
    private let level: Logger.Level

    package init(from level: Logger.Level = .warning) { self.level = level }

    package var lines: [String] { collected.withLock { $0 } }

    package var logger: Logger {
        Logger(label: "bench") { [level] _ in Handler(log: self, logLevel: level) }
    }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.collected.withLock { $0.append("\(event.message)") }
        }
    }
}
