package import MQTTBus
package import Messages

/// The state of all agents, and of the selected cameras, as far as messages about them were received.
package struct Fleet {
    package struct ObservedAgent {
        var info: AgentInfo?
        var availability: Availability?
        /// When the last availability came.
        var heard: ContinuousClock.Instant?

        /// Whether nothing is known about the agent: no availability came, or its lifetime has passed.
        func isSilent(at now: ContinuousClock.Instant) -> Bool {
            guard let availability, let heard else { return true }
            guard let lifetime = availability.lifetimeSeconds else { return false }
            return heard.duration(to: now) >= .seconds(lifetime)
        }
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
    /// The group of the selected cameras; nil: all.
    private let group: String?

    /// The nodes of a camera that the fleet reads.
    package static let nodes = [
        "availability", "info", "zoom", "zoom/live", "recording", "desired", "event",
    ]

    /// - Parameters:
    ///   - agent: the agent whose cameras are selected; nil: all. All agents themselves are kept.
    ///   - camera: the name of the selected cameras; nil: all.
    ///   - group: the group of the selected cameras; nil: all. Cameras without `info` are not selected then.
    package init(base: String, agent: String? = nil, camera: String? = nil, group: String? = nil) {
        (self.base, self.agent, self.camera, self.group) = (base, agent, camera, group)
    }

    package init(_ options: CtlOptions) {
        self.init(
            base: options.baseTopic, agent: options.agent, camera: options.camera, group: options.group)
    }

    /// Updates the fleet with a message. Other topics and invalid payloads change nothing.
    ///
    /// - Parameter now: when it came.
    package mutating func update(with message: BusMessage, at now: ContinuousClock.Instant = .now) {
        switch source(of: message.topic) {
        case .agent(let agent, let node): update(node, of: agent, message.payload, at: now)
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

    private mutating func update(
        _ node: String, of agent: String, _ payload: [UInt8], at now: ContinuousClock.Instant
    ) {
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
            agents[agent]?.heard = now
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
    /// Why nothing is known about a camera whose agent is silent.
    static let silentAgent = "the agent is silent"

    /// Whether a camera is online, and why not. An agent that is offline or stopped doesn't publish the state
    /// of each camera. Nothing is known about the cameras of an agent that has been silent for too long: the
    /// state is nil.
    package func availability(
        of address: CameraAddress, at now: ContinuousClock.Instant = .now
    ) -> (state: Availability.State?, reason: String?) {
        let agent = agents[address.agent]
        if let state = agent?.availability?.state, state != .online {
            return (state, "the agent is \(state.rawValue)")
        }
        if agent?.isSilent(at: now) == true { return (nil, Self.silentAgent) }
        let camera = cameras[address]?.availability
        return (camera?.state, camera?.reason)
    }

    /// The most agents that are asked to publish again.
    private static let maxAsked = 100

    /// The agents of which messages are missing, although they are not known to be gone: the broker may have
    /// lost them, or may have them on another node. An agent that the options name is one of them if nothing
    /// of it came.
    var incompleteAgents: [String] {
        var incomplete = Set(agents.filter { !$1.isKnown && $1.absence == nil }.keys)
        incomplete.formUnion(cameras.keys.map(\.agent).filter { agents[$0] == nil })
        if let agent, agents[agent] == nil { incomplete.insert(agent) }
        // No agent has this name.
        incomplete.remove("groups")
        return incomplete.filter { Topics.isName($0) && (agent == nil || $0 == agent) }.sorted().prefix(
            Self.maxAsked
        ).map { $0 }
    }

    /// The topics that ask an agent for its retained messages. An agent takes commands of proved clients only
    /// on the topics of their own; whether it does so is not known if its `info` is missing.
    private func refreshTopics(_ agent: String, client: String) -> [String] {
        let topic = Topics(base: base, agent: agent).refresh()
        let ofClient = Topics.isName(client) ? ["\(topic)/\(client)"] : []
        guard let info = agents[agent]?.info else { return [topic] + ofClient }
        return info.takesOnlyProvedClients ? ofClient : [topic]
    }

    /// The agents of which messages are missing.
    ///
    /// - Parameter needsCameraInfo: whether the `info` of a camera that isn't away is one of them.
    func agentsLacking(cameraInfo needsCameraInfo: Bool) -> [String] {
        var asked = incompleteAgents
        if needsCameraInfo {
            let lacking = cameras.filter { address, camera in
                camera.info == nil && camera.availability?.state != .offline
                    && agents[address.agent].map { $0.absence == nil } ?? false
            }
            asked = Set(asked + lacking.keys.map(\.agent)).sorted().prefix(Self.maxAsked).map { $0 }
        }
        return asked
    }

    /// The requests for what is missing, each as its topic and its payload.
    ///
    /// - Parameter needsCameraInfo: whether the `info` of a camera that isn't away is one of it.
    func requestsForMissing(
        client: String, needsCameraInfo: Bool = false
    ) -> [(topic: String, payload: [UInt8])] {
        let payload = JSON.bytes(["client": client])
        return agentsLacking(cameraInfo: needsCameraInfo).flatMap { refreshTopics($0, client: client) }
            .map { ($0, payload) }
    }

    /// The addresses of the cameras, sorted.
    package var addresses: [CameraAddress] { group.map(members) ?? cameras.keys.sorted() }
}
