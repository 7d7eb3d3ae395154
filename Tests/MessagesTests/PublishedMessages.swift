import FoundationEssentials
import Glibc
import Messages

/// The messages of these tests, for the schemas: one line `{"topic":…,"payload":…}` each, in a file of this
/// process.
///
/// `Tests/run` names the folder in `V4L2MQTT_MESSAGES_DIR`, and holds all lines against `schemas/` after the
/// unit tests. Without the variable nothing is written.
enum PublishedMessages {
    /// Appended to: one call of `write` for each line, so that lines of several threads stay whole.
    private static let file: Int32? = {
        guard let folder = ProcessInfo.processInfo.environment["V4L2MQTT_MESSAGES_DIR"] else { return nil }
        let path = "\(folder)/messages-\(getpid()).jsonl"
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        precondition(file >= 0, "V4L2MQTT_MESSAGES_DIR: \(path) can't be written")
        return file
    }()

    /// `topic` is a topic of the bus, such as `v4l2mqtt/agent/camera/zoom`; `payload` is JSON.
    static func add(_ payload: [UInt8], on topic: String) {
        guard let file else { return }
        let line = [UInt8](#"{"topic":"\#(topic)","payload":"#.utf8) + payload + [UInt8]("}\n".utf8)
        precondition(write(file, line, line.count) == line.count, "a line of messages was cut")
    }
}
