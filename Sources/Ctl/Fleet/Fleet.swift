package import Bus
package import Contract
internal import ZoomModel

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

    struct ObservedCamera {
        /// An error of a command, a recording or a desired state.
        struct Failure {
            var error: CommandError
            /// The client whose command was refused.
            var client: String?
            /// The timestamp of the message (RFC 3339).
            var time: String
        }

        var availability: Availability?
        var info: CameraInfo?
        var zoom: Stamped<ZoomState>?
        var recording: Stamped<RecordingState>?
        /// Groups for which the camera has answered, whether its `info` has come or not.
        var answeredGroups: Set<String> = []
        /// The last refused command. It comes from an event, the other errors from states.
        var refused: Failure?
        var desired: Stamped<DesiredState>?

        /// Whether `info` has not come and should have. A camera that is away may have none, and so may a
        /// private one whose device the agent has not opened since it started.
        var lacksInfo: Bool { info == nil && availability?.isDeviceClosed != true }

        /// The newest error.
        var lastFailure: Failure? {
            var all = [refused].compactMap { $0 }
            if let last = recording?.last, let error = last.error, let recording {
                all.append(Failure(error: error, client: nil, time: recording.stamp.ts))
            }
            if let desired, let error = desired.error {
                all.append(Failure(error: error, client: nil, time: desired.stamp.ts))
            }
            return all.max { $0.time < $1.time }
        }
    }

    package private(set) var agents: [String: ObservedAgent] = [:]
    private(set) var cameras: [CameraAddress: ObservedCamera] = [:]
    /// The nodes of each camera of which a message came, also one that has no value.
    private var received: [CameraAddress: Set<String>] = [:]
    private let base: String
    /// The selected agent and camera; nil: all.
    private let agent, camera: String?
    /// The group of the selected cameras; nil: all.
    private let group: String?

    /// The nodes of a camera that the fleet reads.
    static let nodes = [
        "availability", "info", "zoom", "zoom/live", "recording", "desired", "event",
    ]

    /// Those that each camera which is online has retained messages of.
    private static let retainedNodes: Set = ["availability", "info", "zoom", "recording", "desired"]

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
        switch subject(of: message.topic) {
        case .agent(let agent, let node): update(node, of: agent, message.payload, at: now)
        case .camera(let address, let node):
            if isSelected(address) { update(node, of: address, message.payload) }
        case nil: break
        }
    }

    /// The agent or the camera that a topic belongs to; nil: neither.
    func subject(of topic: String) -> Topics.Subject? { Topics.subject(of: topic, below: base) }

    private func isSelected(_ address: CameraAddress) -> Bool {
        (agent ?? address.agent, camera ?? address.camera) == (address.agent, address.camera)
    }

    /// Takes a camera for one of a group: it has answered a request to the group.
    mutating func noteAnswer(of address: CameraAddress, for group: String) {
        if isSelected(address) { cameras[address, default: .init()].answeredGroups.insert(group) }
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
            if node == "availability" { (cameras[address], received[address]) = (nil, nil) }
            return
        }
        if Self.retainedNodes.contains(node) { received[address, default: []].insert(node) }
        var camera = cameras[address] ?? .init()
        switch node {
        case "availability": camera.availability = JSON.value(Availability.self, from: payload)
        case "info": camera.info = JSON.value(CameraInfo.self, from: payload)
        case "recording": camera.recording = JSON.value(Stamped<RecordingState>.self, from: payload)
        case "desired": camera.desired = JSON.value(Stamped<DesiredState>.self, from: payload)
        case "zoom":
            guard let state = JSON.value(Stamped<ZoomState>.self, from: payload) else { return }
            if let known = camera.zoom?.stamp, known.boot == state.stamp.boot, known.rev > state.stamp.rev {
                return
            }
            camera.zoom = state
        case "zoom/live":
            guard let sample = JSON.value(Stamped<LiveSample>.self, from: payload), let known = camera.zoom,
                sample.stamp.rev >= known.stamp.rev
            else { return }
            camera.zoom?.value.factor = sample.factor
            camera.zoom?.value.position = sample.position
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
    func availability(
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

    /// Whether an agent is online; the state is nil if it has been silent for too long.
    func availability(
        of agent: String, at now: ContinuousClock.Instant
    ) -> (state: Availability.State?, reason: String?) {
        guard let known = agents[agent], !known.isSilent(at: now) else { return (nil, Self.silentAgent) }
        return (known.availability?.state, nil)
    }

    /// The most agents that are asked to publish again.
    static let maxAsked = 100

    /// The agents of which messages are missing, although they are not known to be gone: the broker may have
    /// lost them, or may have them on another node. An agent that the options name is one of them if nothing
    /// of it came.
    var incompleteAgents: [String] { agentsLacking(cameraInfo: false) }

    /// The agents of which messages are missing, sorted.
    ///
    /// - Parameter needsCameraInfo: whether the `info` of a camera that isn't away is one of them.
    func agentsLacking(cameraInfo needsCameraInfo: Bool) -> [String] {
        Set(agents.keys).union(cameras.keys.map(\.agent)).union([agent].compactMap { $0 })
            .filter { isLacking($0, cameraInfo: needsCameraInfo) }.sorted()
    }

    /// Whether messages of an agent of which something is known are missing.
    ///
    /// - Parameter needsCameraInfo: whether the `info` of a camera that isn't away is one of them.
    func isLacking(_ agent: String, cameraInfo needsCameraInfo: Bool) -> Bool {
        // No agent has the name of the groups.
        guard agent != Topics.groups, Topics.isName(agent), agent == self.agent ?? agent else { return false }
        guard let known = agents[agent] else { return true }
        guard known.absence == nil else { return false }
        guard let info = known.info, known.availability != nil else { return true }
        return needsCameraInfo
            && info.cameras.contains { name in
                cameras[CameraAddress(agent: agent, camera: name)]?.lacksInfo ?? false
            }
    }

    /// How many cameras of the selected group, or of all, lack retained messages.
    ///
    /// - Parameters:
    ///   - nodes: of which messages are needed.
    ///   - silent: agents of whose cameras nothing is expected.
    func incompleteCameras(needing nodes: [String], except silent: Set<String>) -> Int {
        cameras.keys.count { !silent.contains($0.agent) && isIncomplete($0, needing: nodes) }
    }

    /// Whether an agent is there, as far as is known: it says so, or one of its cameras has answered.
    func isThere(_ agent: String) -> Bool {
        if let availability = agents[agent]?.availability { return availability.state == .online }
        return cameras.contains { $0.agent == agent && !$1.answeredGroups.isEmpty }
    }

    /// Whether a selected camera that an agent lists lacks retained messages.
    ///
    /// - Parameter nodes: of which messages are needed.
    func hasIncompleteCamera(_ agent: String, needing nodes: [String]) -> Bool {
        agents[agent]?.info?.cameras.contains {
            isIncomplete(CameraAddress(agent: agent, camera: $0), needing: nodes)
        } ?? false
    }

    /// Whether a camera lacks retained messages, although it is not known to be away: a broker drops what a
    /// reader does not take in time. A camera without `info` may be one of any group.
    private func isIncomplete(_ address: CameraAddress, needing nodes: [String]) -> Bool {
        guard let camera = cameras[address], agents[address.agent]?.absence == nil,
            camera.availability?.state != .offline,
            group.map({ camera.info?.groups?.contains($0) ?? camera.answeredGroups.isEmpty }) ?? true
        else { return false }
        return !nodes.allSatisfy {
            received[address]?.contains($0) ?? false || $0 == "info" && !camera.lacksInfo
        }
    }

    /// Requests to agents for their retained messages, each as its topic and its payload.
    func requests(to agents: some Sequence<String>, client: String) -> [(topic: String, payload: [UInt8])] {
        let payload = JSON.bytes(JSON.object(["client": .text(client)]))
        return agents.prefix(Self.maxAsked).flatMap { agent in
            refreshTopics(
                agent, camera: nil, of: client, isProved: self.agents[agent]?.info?.takesOnlyProvedClients)
        }.map { ($0, payload) }
    }

    /// Requests to the cameras of a group for their retained messages.
    ///
    /// - Parameter id: of the requests, and of their answers.
    func requests(toGroup group: String, client: String, id: String) -> [(topic: String, payload: [UInt8])] {
        let payload = JSON.bytes(JSON.object(["id": .text(id), "client": .text(client)]))
        let members = members(of: group)
        let isProved = members.isEmpty ? nil : members.contains(where: takesOnlyProvedClients)
        return refreshTopics(Topics.groups, camera: group, of: client, isProved: isProved)
            .map { ($0, payload) }
    }

    /// The topics that ask for retained messages.
    ///
    /// - Parameter isProved: whether only commands of proved clients are taken, on the topics of their own.
    ///   Nil: that is not known. All agents take those, but not every account may publish them.
    private func refreshTopics(
        _ agent: String, camera: String?, of client: String, isProved: Bool?
    ) -> [String] {
        let topics = Topics(base: base, agent: agent)
        let (open, own) = (topics.refresh(camera: camera), topics.refresh(camera: camera, client: client))
        return (isProved == true ? [] : [open]) + (isProved == false || !Topics.isName(client) ? [] : [own])
    }

    /// The addresses of the cameras, sorted.
    package var addresses: [CameraAddress] { group.map(members) ?? cameras.keys.sorted() }
}
