package import MQTTBus
package import Messages

/// The state of all agents, and of the selected cameras, as far as messages about them were received.
package struct Fleet {
    package struct ObservedAgent {
        var info: AgentInfo?
        var availability: Availability?
    }

    package struct ObservedCamera {
        /// An error of a command, a recording or a desired state.
        package struct Failure {
            var error: CommandError
            /// The client whose command was refused.
            var client: String?
            /// The timestamp of the message (RFC 3339).
            var time: String
        }

        var availability: Availability?
        var info: CameraInfo?
        var zoom: ZoomState?
        var recording: RecordingState?
        /// The last refused command. It comes from an event, the other errors from states.
        var refused: Failure?
        var desired: DesiredState?

        /// The newest error.
        var lastFailure: Failure? {
            var all = [refused].compactMap { $0 }
            if let last = recording?.last, let error = last.error, let recording {
                all.append(Failure(error: error, client: nil, time: recording.ts))
            }
            if let desired, let error = desired.error {
                all.append(Failure(error: error, client: nil, time: desired.ts))
            }
            return all.max { $0.time < $1.time }
        }
    }

    package private(set) var agents: [String: ObservedAgent] = [:]
    package private(set) var cameras: [CameraAddress: ObservedCamera] = [:]
    private let base: String
    /// The selected agent and camera; nil: all.
    private let agent, camera: String?

    /// The nodes of a camera that the fleet reads.
    package static let nodes = [
        "availability", "info", "zoom", "zoom/live", "recording", "desired", "event",
    ]

    /// - Parameters:
    ///   - agent: the agent whose cameras are selected; nil: all. All agents themselves are kept.
    ///   - camera: the name of the selected cameras; nil: all.
    package init(base: String, agent: String? = nil, camera: String? = nil) {
        (self.base, self.agent, self.camera) = (base, agent, camera)
    }

    package init(_ options: CtlOptions) {
        self.init(base: options.baseTopic, agent: options.agent, camera: options.camera)
    }

    /// Updates the fleet with a message. Other topics and invalid payloads change nothing.
    package mutating func update(with message: BusMessage) {
        switch source(of: message.topic) {
        case .agent(let agent, let node): update(node, of: agent, message.payload)
        case .camera(let address, let node):
            if isSelected(address) { update(node, of: address, message.payload) }
        case nil: break
        }
    }

    /// The sender of a message.
    package enum Source {
        case agent(String, node: String)
        case camera(CameraAddress, node: String)
    }

    /// The agent or the camera that a topic belongs to; nil: neither.
    package func source(of topic: String) -> Source? {
        guard topic.utf8.starts(with: "\(base)/".utf8) else { return nil }
        let levels = topic.dropFirst(base.count + 1)
            .split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard levels.count >= 2, Topics.isName(levels[0]) else { return nil }
        if levels.count == 2 { return .agent(levels[0], node: levels[1]) }
        guard Topics.isName(levels[1]) else { return nil }
        return .camera(CameraAddress(agent: levels[0], camera: levels[1]), node: levels[2])
    }

    private func isSelected(_ address: CameraAddress) -> Bool {
        (agent ?? address.agent, camera ?? address.camera) == (address.agent, address.camera)
    }

    /// Copies what no retained message has: the last refused command of each camera that still exists.
    mutating func keepRefusals(of earlier: Fleet) {
        for (address, camera) in cameras where camera.refused == nil {
            cameras[address]?.refused = earlier.cameras[address]?.refused
        }
    }

    private mutating func update(_ node: String, of agent: String, _ payload: [UInt8]) {
        // An empty message removes the retained one: the agent was removed.
        if payload.isEmpty {
            if node == "availability" { agents[agent] = nil }
            return
        }
        switch node {
        case "info":
            guard let info = JSON.value(AgentInfo.self, from: payload) else { return }
            agents[agent, default: .init()].info = info
            for camera in info.cameras where Topics.isName(camera) {
                let address = CameraAddress(agent: agent, camera: camera)
                if cameras[address] == nil && isSelected(address) { cameras[address] = .init() }
            }
        case "availability":
            guard let state = JSON.value(Availability.self, from: payload) else { return }
            agents[agent, default: .init()].availability = state
        default: break
        }
    }

    private mutating func update(_ node: String, of address: CameraAddress, _ payload: [UInt8]) {
        if payload.isEmpty {
            if node == "availability" { cameras[address] = nil }
            return
        }
        var camera = cameras[address] ?? .init()
        switch node {
        case "availability": camera.availability = JSON.value(Availability.self, from: payload)
        case "info": camera.info = JSON.value(CameraInfo.self, from: payload)
        case "recording": camera.recording = JSON.value(RecordingState.self, from: payload)
        case "desired": camera.desired = JSON.value(DesiredState.self, from: payload)
        case "zoom":
            guard let state = JSON.value(ZoomState.self, from: payload) else { return }
            if let known = camera.zoom, known.boot == state.boot, known.rev > state.rev { return }
            camera.zoom = state
        case "zoom/live":
            guard let sample = JSON.value(LiveSample.self, from: payload), let known = camera.zoom,
                sample.rev >= known.rev
            else { return }
            camera.zoom?.factor = sample.factor
            camera.zoom?.position = sample.position
        case "event":
            guard let event = JSON.value(Event.self, from: payload), event.event == .refused,
                let error = event.error
            else { return }
            camera.refused = .init(error: error, client: event.client, time: event.ts)
        default: return
        }
        cameras[address] = camera
    }
}

extension Fleet {
    /// Whether a camera is online, and why not. An agent that is offline or stopped doesn't publish the state
    /// of each camera.
    package func availability(of address: CameraAddress) -> (state: Availability.State?, reason: String?) {
        if let agent = agents[address.agent]?.availability, agent.state != .online {
            return (agent.state, "the agent is \(agent.state.rawValue)")
        }
        let camera = cameras[address]?.availability
        return (camera?.state, camera?.reason)
    }

    /// The addresses of the cameras, sorted.
    package var addresses: [CameraAddress] { cameras.keys.sorted() }
}
