internal import Contract
internal import Core
internal import FoundationEssentials
internal import Glibc

/// The messages of the tests, to be validated against `schemas/`: one line `{"topic": …, "payload": …}`
/// each, appended to one file of this process in the folder that `TESTS_MESSAGES_DIR` names. Without the
/// variable nothing is written.
package enum MessageFile {
    private static let topics = Topics(base: "v4l2mqtt", agent: "agent")

    private static let file: Int32? = {
        guard let folder = ProcessInfo.processInfo.environment["TESTS_MESSAGES_DIR"] else { return nil }
        let path = "\(folder)/messages-\(getpid()).jsonl"
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        precondition(file >= 0, "TESTS_MESSAGES_DIR: \(path) can't be written")
        return file
    }()

    static func add(state: [UInt8], on channel: Channel, of camera: String) {
        add(state, on: topic(channel, camera))
    }

    static func add(event: [UInt8], of camera: String) { add(event, on: topics.event(camera: camera)) }

    static func add(reply: [UInt8], of node: Node, camera: String) {
        add(reply, on: topics.reply(toCommandOn: topics.command(for: node, camera: camera)))
    }

    private static func topic(_ channel: Channel, _ camera: String) -> String {
        switch channel {
        case .readOnly(let state): topics.state(state, of: camera)
        case .zoomSample: topics.zoomLive(camera: camera)
        case .node(let node): topics.state(of: node, camera: camera)
        }
    }

    /// - Parameters:
    ///   - payload: JSON.
    ///   - topic: a topic of the bus, such as `v4l2mqtt/agent/camera/zoom`.
    package static func add(_ payload: [UInt8], on topic: String) {
        guard let file else { return }
        // One call of `write` for each line, so that lines of several threads stay whole.
        let line = [UInt8](#"{"topic":"\#(topic)","payload":"#.utf8) + payload + [UInt8]("}\n".utf8)
        precondition(write(file, line, line.count) == line.count, "a line of messages was cut")
    }
}
