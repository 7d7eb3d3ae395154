internal import MQTTBus
internal import Messages

/// What the bus says of all agents, and of the cameras that are asked for, as far as it was heard.
struct Fleet {
    /// Where a camera is; agents' names come before cameras'.
    struct Name: Hashable, Comparable {
        let agent: String
        let camera: String

        static func < (one: Name, other: Name) -> Bool {
            (one.agent, one.camera) < (other.agent, other.camera)
        }
    }

    struct Agent {
        var info: AgentInfo?
        var availability: Availability?
    }

    struct Camera {
        /// What went wrong last, and whose doing that was.
        struct Trouble {
            var error: CommandError
            var client: String?
            /// As the message has it.
            var time: String
        }

        var availability: Availability?
        var info: CameraInfo?
        var zoom: ZoomState?
        var recording: RecordingState?
        /// From an event; states tell of others.
        var refused: Trouble?
        var desired: DesiredState?

        /// The newest of what went wrong.
        var trouble: Trouble? {
            var all = [refused].compactMap { $0 }
            if let last = recording?.last, let error = last.error, let recording {
                all.append(Trouble(error: error, client: nil, time: recording.ts))
            }
            if let desired, let error = desired.error {
                all.append(Trouble(error: error, client: nil, time: desired.ts))
            }
            return all.max { $0.time < $1.time }
        }
    }

    private(set) var agents: [String: Agent] = [:]
    private(set) var cameras: [Name: Camera] = [:]
    private let base: String
    /// The one agent, and the cameras' one name, that are asked for.
    private let agent, camera: String?

    /// What to listen to below a camera.
    static let nodes = [
        "availability", "info", "zoom", "zoom/live", "recording", "desired", "event",
    ]

    /// - Parameters:
    ///   - agent: of whose cameras alone it is to know; of agents it knows all.
    ///   - camera: the name of the only cameras.
    init(base: String, agent: String? = nil, camera: String? = nil) {
        (self.base, self.agent, self.camera) = (base, agent, camera)
    }

    init(_ options: BusOptions) {
        self.init(base: options.baseTopic, agent: options.agent, camera: options.camera)
    }

    /// Takes in a message of any agent or camera; what it can't be read from changes nothing.
    mutating func take(_ message: BusMessage) {
        switch source(of: message.topic) {
        case .agent(let agent, let node): take(node, of: agent, message.payload)
        case .camera(let name, let node): if isAskedFor(name) { take(node, of: name, message.payload) }
        case nil: break
        }
    }

    /// Who says something by a message.
    enum Source {
        case agent(String, node: String)
        case camera(Name, node: String)
    }

    /// Whose a topic is; nil: nobody's.
    func source(of topic: String) -> Source? {
        guard topic.utf8.starts(with: "\(base)/".utf8) else { return nil }
        let levels = topic.dropFirst(base.count + 1)
            .split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard levels.count >= 2, Topics.isName(levels[0]) else { return nil }
        if levels.count == 2 { return .agent(levels[0], node: levels[1]) }
        guard Topics.isName(levels[1]) else { return nil }
        return .camera(Name(agent: levels[0], camera: levels[1]), node: levels[2])
    }

    private func isAskedFor(_ name: Name) -> Bool {
        (agent ?? name.agent, camera ?? name.camera) == (name.agent, name.camera)
    }

    /// Takes over what the broker doesn't keep: what was refused to cameras that are still there.
    mutating func remember(_ earlier: Fleet) {
        for (name, camera) in cameras where camera.refused == nil {
            cameras[name]?.refused = earlier.cameras[name]?.refused
        }
    }

    private mutating func take(_ node: String, of agent: String, _ payload: [UInt8]) {
        // The broker forgets what is retained by an empty message: the agent was taken away.
        if payload.isEmpty {
            if node == "availability" { agents[agent] = nil }
            return
        }
        switch node {
        case "info":
            guard let info = JSON.value(AgentInfo.self, from: payload) else { return }
            agents[agent, default: .init()].info = info
            for camera in info.cameras where Topics.isName(camera) {
                let name = Name(agent: agent, camera: camera)
                if cameras[name] == nil && isAskedFor(name) { cameras[name] = .init() }
            }
        case "availability":
            guard let state = JSON.value(Availability.self, from: payload) else { return }
            agents[agent, default: .init()].availability = state
        default: break
        }
    }

    private mutating func take(_ node: String, of name: Name, _ payload: [UInt8]) {
        if payload.isEmpty {
            if node == "availability" { cameras[name] = nil }
            return
        }
        var camera = cameras[name] ?? .init()
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
        cameras[name] = camera
    }
}

extension Fleet {
    /// Whether a camera is there: `stopped` and `offline` are its agent's too, which can't say so for each camera any more.
    func availability(of name: Name) -> (state: Availability.State?, reason: String?) {
        let agent = agents[name.agent]?.availability
        if let agent, agent.state != .online { return (agent.state, "the agent is \(agent.state.rawValue)") }
        let camera = cameras[name]?.availability
        return (camera?.state, camera?.reason?.printable)
    }

    /// Cameras in the order in which they are shown.
    var names: [Name] { cameras.keys.sorted() }
}
