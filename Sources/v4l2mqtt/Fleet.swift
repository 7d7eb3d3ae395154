internal import MQTTBus
internal import Messages

/// What the bus says of all agents and cameras, as far as it was heard.
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

    /// What to listen to below a camera.
    static let nodes = [
        "availability", "info", "zoom", "zoom/live", "recording", "desired", "event",
    ]

    init(base: String) { self.base = base }

    /// Takes in a message of any agent or camera; what it can't be read from changes nothing.
    mutating func take(_ message: BusMessage) {
        guard message.topic.utf8.starts(with: "\(base)/".utf8) else { return }
        let levels = message.topic.dropFirst(base.count + 1)
            .split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard levels.count >= 2, Topics.isName(levels[0]) else { return }
        if levels.count == 2 { return take(levels[1], of: levels[0], message.payload) }
        guard Topics.isName(levels[1]) else { return }
        take(levels[2], of: Name(agent: levels[0], camera: levels[1]), message.payload)
    }

    private mutating func take(_ node: String, of agent: String, _ payload: [UInt8]) {
        switch node {
        case "info":
            guard let info = JSON.value(AgentInfo.self, from: payload) else { return }
            agents[agent, default: .init()].info = info
            for camera in info.cameras where Topics.isName(camera) {
                let name = Name(agent: agent, camera: camera)
                if cameras[name] == nil { cameras[name] = .init() }
            }
        case "availability":
            guard let state = JSON.value(Availability.self, from: payload) else { return }
            agents[agent, default: .init()].availability = state
        default: break
        }
    }

    private mutating func take(_ node: String, of name: Name, _ payload: [UInt8]) {
        // The broker forgets what is retained by an empty message: the camera was taken away.
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
