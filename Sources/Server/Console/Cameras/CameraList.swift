internal import Contract

/// All cameras of all agents, as their retained messages describe them.
final class CameraList {
    /// The part of a camera's `info` that the list and the routing of commands need.
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

    /// What an agent has published about itself. Of one that is silent there is nothing.
    private enum AgentState: Equatable {
        /// Until this time, if it does not renew it; nil: until another message comes.
        case online(until: ContinuousClock.Instant?)
        case away

        var isOnline: Bool { self != .away }
    }

    private struct Camera {
        var summary = CameraSummary()
        var info: [UInt8]?
        var availability: [UInt8]?
        var isKnown: Bool { availability != nil || info != nil }
    }

    /// Limits for the memory: clients without trust may publish to a broker too.
    private static let maxCameras = 20_000
    private static let maxAgents = 20_000

    private let leftOut: LeftOutMessages
    private var budget = ByteBudget(limit: MessageLimits.allInfo)
    private var cameras: [CameraAddress: Camera] = [:]
    private var agents: [String: AgentState] = [:]
    /// Agents that take only commands whose topic names the client.
    private var provedAgents: Set<String> = []

    /// - Parameter leftOut: logs the messages that do not fit.
    init(_ leftOut: LeftOutMessages = LeftOutMessages()) { self.leftOut = leftOut }

    /// The bytes of the messages that are kept.
    var keptBytes: Int { budget.used }

    var summaries: [CameraAddress: CameraSummary] { cameras.filter(\.value.isKnown).mapValues(\.summary) }

    func summary(of camera: CameraAddress) -> CameraSummary? {
        cameras[camera].flatMap { $0.isKnown ? $0.summary : nil }
    }

    func isOnline(_ agent: String) -> Bool { agents[agent]?.isOnline == true }

    var onlineAgents: [String] { agents.filter(\.value.isOnline).map(\.key) }

    func takesOnlyProvedClients(_ agent: String) -> Bool { provedAgents.contains(agent) }

    /// The newest payload of `info` or `availability`.
    func payload(of camera: CameraAddress, _ node: String) -> [UInt8]? {
        node == "info" ? cameras[camera]?.info : cameras[camera]?.availability
    }

    /// The topics of the retained messages that the list is made of.
    var subjects: [Topics.Subject] {
        cameras.flatMap { name, camera in
            [("info", camera.info), ("availability", camera.availability)]
                .filter { $0.1 != nil }.map { .camera(name, node: $0.0) }
        } + agents.keys.map { .agent($0, node: "availability") }
            + provedAgents.map { .agent($0, node: "info") }
    }

    /// Takes a message of an agent, `info` or `availability`.
    ///
    /// - Parameter time: when it came.
    /// - Returns: the cameras whose summaries may have changed.
    func take(
        agent: String, _ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant = .now
    ) -> [CameraAddress] {
        guard Topics.isName(agent), payload.count <= MessageLimits.info else { return [] }
        switch node {
        case "info":
            let isProved = JSON.value(AgentInfo.self, from: payload)?.takesOnlyProvedClients == true
            if !isProved {
                provedAgents.remove(agent)
            } else if provedAgents.count < Self.maxAgents {
                provedAgents.insert(agent)
            }
            return []
        case "availability": return takeAvailability(of: agent, payload, at: time)
        default: return []
        }
    }

    private func takeAvailability(
        of agent: String, _ payload: [UInt8], at time: ContinuousClock.Instant
    ) -> [CameraAddress] {
        guard let availability = JSON.value(Availability.self, from: payload) else {
            return set(agent, nil)
        }
        guard availability.state == .online else { return set(agent, .away) }
        return set(agent, .online(until: availability.lifetimeSeconds.map { time + .seconds($0) }))
    }

    /// Forgets the agents that have not renewed their availability in time.
    ///
    /// - Returns: the cameras whose summaries have changed.
    func expire(at time: ContinuousClock.Instant) -> [CameraAddress] {
        let silent = agents.filter { _, state in
            if case .online(let until?) = state { until <= time } else { false }
        }
        return silent.keys.flatMap { set($0, nil) }
    }

    /// - Parameter state: nil: the agent is silent.
    /// - Returns: the cameras whose summaries have changed.
    private func set(_ agent: String, _ state: AgentState?) -> [CameraAddress] {
        let before = agents[agent]
        if before == nil && agents.count >= Self.maxAgents { return [] }
        agents[agent] = state
        guard (before == nil) != (state == nil) || before?.isOnline != state?.isOnline else { return [] }
        let changed = cameras.keys.filter { $0.agent == agent }
        for camera in changed {
            if var summary = cameras[camera]?.summary {
                describe(agent, in: &summary)
                cameras[camera]?.summary = summary
            }
        }
        return Array(changed)
    }

    private func describe(_ agent: String, in summary: inout CameraSummary) {
        summary.agentOnline = isOnline(agent)
        summary.agentSilent = agents[agent] == nil ? true : nil
    }

    /// Takes a message of a camera, `info` or `availability`.
    ///
    /// - Returns: whether the summary of the camera has changed.
    func take(_ name: CameraAddress, _ node: String, _ payload: [UInt8]) -> Bool {
        guard hasRoom(for: name, node, payload) else { return false }
        let before = summary(of: name)
        var camera = cameras[name] ?? Camera()
        describe(name.agent, in: &camera.summary)
        if node == "info" {
            camera.info = payload.isEmpty ? nil : payload
            let info = JSON.value(Info.self, from: payload)
            camera.summary.name = Self.short(info?.name)
            camera.summary.model = Self.short(info?.model)
            camera.summary.groups = info?.groups?.prefix(MessageLimits.groups).compactMap(Self.short) ?? []
        } else {
            camera.availability = payload.isEmpty ? nil : payload
            let availability = JSON.value(Availability.self, from: payload)
            camera.summary.online = availability?.state == .online
            camera.summary.reason = Self.short(availability?.reason)
        }
        cameras[name] = camera.isKnown ? camera : nil
        return summary(of: name) != before
    }

    /// Whether a message can be kept in the place of the one before; then it is counted.
    private func hasRoom(for name: CameraAddress, _ node: String, _ payload: [UInt8]) -> Bool {
        if cameras[name] == nil, cameras.count >= Self.maxCameras {
            leftOut.add(name, node, "there are \(Self.maxCameras) cameras")
            return false
        }
        guard budget.replace(self.payload(of: name, node)?.count ?? 0, by: payload.count) else {
            leftOut.add(name, node, "all cameras together have \(MessageLimits.allInfo >> 20) MiB")
            return false
        }
        return true
    }

    /// A text that is short enough for the list; nil: it is not.
    private static func short(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count <= MessageLimits.text ? $0 : nil }
    }
}
