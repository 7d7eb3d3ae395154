internal import Contract
internal import Fleet

/// What the console keeps of a camera: its messages as they are, and what the list of cameras says.
struct ShownCamera: Facts {
    /// The part of a camera's `info` that the list needs.
    private struct Info: Form {
        var name: String?
        var model: String?
        var groups: [String]?

        init(_ f: inout some FormVisitor<Self>) {
            name = f.maybe("name", \.name, .any, "")
            model = f.maybe("model", \.model, .any, "")
            groups = f.maybe("groups", \.groups, .each(.any), "")
        }
    }

    /// By the names of the nodes. Of a camera that no page has open, these are `info` and `availability`.
    private(set) var payloads: [String: [UInt8]] = [:]
    /// What its `info` says.
    fileprivate var summary = CameraSummary()

    var isKnown: Bool { payloads["info"] != nil || payloads["availability"] != nil }

    mutating func take(_ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant) {
        guard CameraList.states.contains(node) else { return }
        payloads[node] = payload.isEmpty ? nil : payload
        guard node == "info" else { return }
        let info = JSON.value(Info.self, from: payload)
        summary.name = Self.short(info?.name)
        summary.model = Self.short(info?.model)
        summary.groups = info?.groups?.prefix(MessageLimits.groups).compactMap(Self.short) ?? []
    }

    /// A text that is short enough for the list; nil: it is not.
    fileprivate static func short(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count <= MessageLimits.text ? $0 : nil }
    }
}

/// The console keeps nothing of an agent but what a fleet does.
struct NoFacts: Facts {
    mutating func take(_ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant) {}
}

/// All cameras of all agents, and the states of those that pages have open.
final class CameraList {
    /// The states from which the list is made; each camera has them, open or not.
    static let summaryStates = ["info", "availability"]
    static let states = Set(ReadOnlyState.namesWithNodes)

    var fleet: Fleet<NoFacts, ShownCamera>
    private let now: () -> ContinuousClock.Instant

    init(base: String, now: @escaping () -> ContinuousClock.Instant) {
        self.now = now
        let needs = FleetNeeds(
            required: Self.summaryStates,
            followed: ReadOnlyState.namesWithNodes.filter { !Self.summaryStates.contains($0) },
            followedLive: ["event", "zoom/live"])
        fleet = Fleet(base: base, needs, .server)
    }

    /// The cameras of an agent.
    func summaries(of agent: String) -> [CameraAddress: CameraSummary] {
        fleet.addresses(of: agent).reduce(into: [:]) { $0[$1] = summary(of: $1) }
    }

    func summary(of camera: CameraAddress) -> CameraSummary? {
        guard let known = fleet[camera], known.facts.isKnown else { return nil }
        var summary = known.facts.summary
        summary.online = known.availability?.state == .online
        summary.reason = ShownCamera.short(known.availability?.reason)
        let agent = fleet.presence(of: camera.agent, at: now())
        summary.agentOnline = agent == .online(reason: nil)
        summary.agentSilent = agent == .silent ? true : nil
        return summary
    }

    func isOnline(_ agent: String) -> Bool {
        fleet.presence(of: agent, at: now()) == .online(reason: nil)
    }

    /// The newest states of a camera, by the names of the nodes.
    func payloads(of camera: CameraAddress) -> [String: [UInt8]] { fleet[camera]?.facts.payloads ?? [:] }
}
