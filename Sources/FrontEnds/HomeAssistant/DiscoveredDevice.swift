internal import Contract

/// A camera as Home Assistant discovers it.
struct DiscoveredDevice: Sendable {
    let identity: HomeAssistantIdentity
    let topics: CameraTopics
    /// The name of Home Assistant in commands, in the `origin` of states and in the lease.
    let client: String
    /// The version of the agent.
    let version: String
    var info: CameraInfo
    /// The names of the controls that are or were disabled for another reason than that the camera was
    /// private. Most controls can always be set: they have the availability of the device, which the document
    /// has once.
    var disabledControls: Set<String> = []
    /// The names of the saved presets.
    let presets: [String]
}

/// The MQTT topics of one camera.
struct CameraTopics: Sendable, Equatable {
    /// The prefix of all topics of the agent, for example `v4l2mqtt/porch`.
    let agent: String
    /// The prefix of all topics of the camera, for example `v4l2mqtt/porch/door`.
    let camera: String
    /// The name that the topics of commands have at their ends; nil: they have none.
    var client: String?

    /// A topic of the camera.
    subscript(end: Substring) -> String { "\(camera)/\(end)" }

    /// The topic of a node's commands.
    func command(_ node: Substring) -> String {
        "\(camera)/\(node)/set" + (client.map { "/\($0)" } ?? "")
    }

    /// A topic of `entities.json`: `@zoom` of the camera, `@zoom/set` of its commands, and `@@info` of the
    /// agent; nil for any other text.
    func topic(_ text: String) -> String? {
        guard text.hasPrefix("@") else { return nil }
        let end = text.dropFirst()
        if end.hasPrefix("@") { return "\(agent)/\(end.dropFirst())" }
        return end.hasSuffix("/set") ? command(end.dropLast(4)) : self[end]
    }
}
