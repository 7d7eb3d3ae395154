/// A camera, as far as Home Assistant is told of it.
package struct Device: Sendable, Equatable {
    /// A control that the camera has beside its zoom.
    package struct Control: Sendable, Equatable {
        package enum Kind: Sendable, Equatable {
            case slider(min: Double, max: Double, step: Double)
            /// Values that rise.
            case discrete([Double])
            case picker([Option])
            case toggle
            case button
            /// Words, shown only.
            case text
        }

        package struct Option: Sendable, Equatable {
            package var value: Double
            package var title: String
            package init(value: Double, title: String) { (self.value, self.title) = (value, title) }
        }

        /// `[a-z0-9_]+`.
        package var name: String
        package var title: String
        package var kind: Kind
        package var unit: String?
        /// It can never be set.
        package var isReadOnly: Bool

        package init(
            _ name: String, _ title: String, _ kind: Kind, unit: String? = nil, isReadOnly: Bool = false
        ) {
            (self.name, self.title, self.kind, self.unit) = (name, title, kind, unit)
            self.isReadOnly = isReadOnly
        }
    }

    package var identity: Identity
    package var topics: CameraTopics
    package var model: String
    /// Empty where it has none.
    package var serial: String
    /// The agent's version.
    package var version: String
    /// The least and the greatest factor.
    package var zoom: ClosedRange<Double>
    /// The names that `session` takes.
    package var qualities: [String]
    /// The names of views that are kept.
    package var presets: [String]
    package var controls: [Control]

    package init(
        identity: Identity, topics: CameraTopics, model: String, serial: String, version: String,
        zoom: ClosedRange<Double>, qualities: [String], presets: [String], controls: [Control]
    ) {
        (self.identity, self.topics, self.model, self.serial) = (identity, topics, model, serial)
        (self.version, self.zoom, self.qualities) = (version, zoom, qualities)
        (self.presets, self.controls) = (presets, controls)
    }
}

/// Where a camera is heard and told, on the bus.
package struct CameraTopics: Sendable, Equatable {
    /// The nodes of which there are entities.
    package enum Node: String, Sendable {
        case zoom, capture, recording, session, controls, presets, preview, lease
    }

    private let agent: String
    private let camera: String

    /// - Parameters:
    ///   - agent: what all of the agent's topics begin with, as `v4l2mqtt/porch`.
    ///   - camera: the same of the camera's, as `v4l2mqtt/porch/door`.
    package init(agent: String, camera: String) { (self.agent, self.camera) = (agent, camera) }

    var agentAvailability: String { "\(agent)/availability" }
    var agentInfo: String { "\(agent)/info" }
    var availability: String { "\(camera)/availability" }
    var info: String { "\(camera)/info" }
    var diagnostics: String { "\(camera)/diagnostics" }
    var image: String { "\(camera)/image" }
    var frames: String { "\(camera)/preview/live" }
    var event: String { "\(camera)/event" }
    func state(_ node: Node) -> String { "\(camera)/\(node.rawValue)" }
    func command(_ node: Node) -> String { "\(camera)/\(node.rawValue)/set" }
}
