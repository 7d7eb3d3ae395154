/// The MQTT topics of one camera that its discovery document refers to.
package struct CameraTopics: Sendable, Equatable {
    /// The nodes that are represented by entities.
    package enum EntityNode: String, Sendable {
        case zoom, capture, recording, session, controls, presets, preview, lease, privacy
    }

    private let agent: String
    private let camera: String
    /// The end of the topics of commands; nil: they have none.
    private let client: String?

    /// - Parameters:
    ///   - agent: prefix of all topics of the agent, for example `v4l2mqtt/porch`.
    ///   - camera: prefix of all topics of the camera, for example `v4l2mqtt/porch/door`.
    ///   - client: the name that the topics of commands have at their ends; nil: they have none.
    package init(agent: String, camera: String, client: String? = nil) {
        (self.agent, self.camera, self.client) = (agent, camera, client)
    }

    var agentAvailability: String { "\(agent)/availability" }
    var agentInfo: String { "\(agent)/info" }
    var availability: String { "\(camera)/availability" }
    var info: String { "\(camera)/info" }
    var diagnostics: String { "\(camera)/diagnostics" }
    var image: String { "\(camera)/image" }
    var frames: String { "\(camera)/preview/live" }
    var event: String { "\(camera)/event" }
    func state(_ node: EntityNode) -> String { "\(camera)/\(node.rawValue)" }
    func command(_ node: EntityNode) -> String {
        "\(camera)/\(node.rawValue)/set" + (client.map { "/\($0)" } ?? "")
    }
}
