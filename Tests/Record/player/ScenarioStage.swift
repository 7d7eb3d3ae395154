/// What a scenario is played against: an agent in virtual time. The driver knows no type of the agent.
package protocol ScenarioStage: AnyObject {
    /// Everything that the agent has published, in order.
    var messages: [StageMessage] { get }

    /// A client of the broker publishes a message.
    func publish(_ message: StageMessage)
    /// Something happens to a camera, to the threads of the media, or to the connection.
    func device(_ effect: DeviceEffect, of camera: String) throws(UnknownEffect)
    func pass(_ time: Duration)
    /// Begins to stop the agent; ``pass(_:)`` lets it end.
    func stop()
    /// A time of day from now, as messages have it.
    func timestamp(after time: Duration) -> String
}

/// A message of the bus, of either direction.
package struct StageMessage {
    package var topic: String
    package var payload: [UInt8]
    package var qos = 1
    package var isRetained = false
    package var responseTopic: String?
    package var correlation: [UInt8]?
    package var contentType: String?
    package var user: [(name: String, value: String)] = []
    package var expiry: Int?

    package init(_ topic: String, _ payload: [UInt8]) { (self.topic, self.payload) = (topic, payload) }
}

/// Something that happens outside of the agent, in words: `fail lens`, `attach 4`, `turn brightness 3`.
/// ``effects`` lists them.
package struct DeviceEffect: Sendable, CustomStringConvertible {
    package let words: [String]

    package init(_ text: some StringProtocol) { words = String(text).split(separator: " ").map(String.init) }

    package var name: String { words.first ?? "" }

    package var description: String { words.joined(separator: " ") }

    /// The first words, each with what it does.
    package static let effects = [
        "hold": "the answers to an operation of the device or the media wait",
        "release": "the oldest of them is given",
        "free": "all of them are given, and the next ones do not wait",
        "fail": "an operation fails from now on",
        "disable": "an operation fails because a control is disabled",
        "work": "an operation succeeds again",
        "attach": "a device is plugged in, with the longest factor of its lens; `video`: it has H.264 too",
        "unplug": "the device is unplugged", "absent": "the device is not found", "replace": "it is replaced",
        "break": "the device can't be used",
        "begin": "the lens begins to move for the request that it holds",
        "lens": "the lens is at a factor; `moving`: it goes on",
        "take": "another program moves the lens", "turn": "another program sets a control",
        "damage": "frames are damaged (on, off)", "dark": "frames are dark (on, off)",
        "fill": "the file of the recording is full", "refuse": "threads are refused (on, off)",
        "read": "the virtual camera is read (on, off)",
        "full": "the broker takes no more messages (on, off)",
        "lose": "the connection is lost; `taken`: by a client with the same identifier",
        "clock": "the clock is synchronised (on, off)",
    ]
}

package struct UnknownEffect: Error, CustomStringConvertible {
    package let effect: DeviceEffect

    package init(_ effect: DeviceEffect) { self.effect = effect }

    package var description: String { "unknown effect: \(effect)" }
}
