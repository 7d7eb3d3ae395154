import Logging
import Synchronization

/// The warnings and errors that were logged.
final class CollectedLog: Sendable {
    private let collected = Mutex<[String]>([])

    var lines: [String] { collected.withLock { $0 } }

    var logger: Logger { Logger(label: "bench") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var logLevel = Logger.Level.warning
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
