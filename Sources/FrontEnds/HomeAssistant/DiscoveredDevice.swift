internal import Contract

/// A camera as Home Assistant discovers it.
struct DiscoveredDevice: Sendable {
    let identity: HomeAssistantIdentity
    /// Those of the agent.
    let topics: Topics
    /// The name of the camera in topics.
    let camera: String
    /// The name of Home Assistant in commands, in the `origin` of states and in the lease.
    let client: String
    /// Whether the topics of commands have this name at their ends.
    let isProved: Bool
    /// The version of the agent.
    let version: String
    var info: CameraInfo
    /// The names of the controls that are or were disabled for another reason than that the camera was
    /// private. Most controls can always be set: they have the availability of the device, which the document
    /// has once.
    var disabledControls: Set<String> = []
    /// The names of the saved presets.
    let presets: [String]

    /// A topic of `entities.json` without its `@`: `zoom` of the camera, `zoom/set` of its commands, and
    /// `@info` of the agent.
    func topic(_ text: Substring) -> String {
        if text.hasPrefix("@") { return "\(topics.root)/\(text.dropFirst())" }
        return "\(topics.root)/\(camera)/\(text)" + (isProved && text.hasSuffix("/set") ? "/\(client)" : "")
    }
}
