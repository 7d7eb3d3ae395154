internal import Contract

extension Fleet {
    /// The camera that the options select. The agent can be omitted if only one is online, the camera if the
    /// agent has only one.
    ///
    /// - Throws: why there is no such camera, or which ones could be named.
    func choice(_ options: CtlOptions) throws(CommandError) -> CameraAddress {
        let agent = try selectedAgent(options)
        // A camera that the options name is tried even if the agent's info is not known.
        guard let known = agents[agent]?.info?.cameras ?? options.camera.map({ [$0] }) else {
            throw CommandError(
                .badTopic, "\(agent) hasn't published its list of cameras. Name one with --camera.")
        }
        let cameras = known.joined(separator: ", ")
        guard !known.isEmpty else { throw CommandError(.badTopic, "\(agent) has no camera.") }
        guard let camera = options.camera ?? (known.count == 1 ? known.first : nil) else {
            throw CommandError(.badTopic, "\(agent) has the cameras \(cameras). Name one with --camera.")
        }
        guard known.contains(camera) else {
            throw CommandError(.badTopic, "\(agent) has no camera \"\(camera)\"; it has \(cameras).")
        }
        // The agent's list may have any text; this one becomes a part of topics.
        guard Topics.isName(camera) else {
            throw CommandError(.badTopic, "\(agent) has a camera with an invalid name: \"\(camera)\".")
        }
        return CameraAddress(agent: agent, camera: camera)
    }

    private func selectedAgent(_ options: CtlOptions) throws(CommandError) -> String {
        let all = agents.keys.sorted()
        guard !all.isEmpty else { throw options.noAgent }
        if let error = unknownAgent(options) { throw error }
        let selected = all.filter { options.agent == nil || $0 == options.agent }
        let online = selected.filter { agents[$0]?.absence == nil }
        if online.isEmpty {
            let words = selected.map { "\($0) is \(agents[$0]?.absence?.rawValue ?? "")" }
            throw CommandError(.unavailable, words.joined(separator: ", ") + ".")
        }
        guard online.count == 1, let agent = online.first else {
            throw CommandError(
                .badTopic,
                "There is more than one agent: \(online.joined(separator: ", ")). Name one with --agent.")
        }
        return agent
    }

    /// The error for an agent that the options name, if only other agents are known.
    func unknownAgent(_ options: CtlOptions) -> CommandError? {
        guard let name = options.agent, agents[name] == nil, !agents.isEmpty else { return nil }
        let others = agents.keys.sorted().joined(separator: ", ")
        return CommandError(.badTopic, "There is no agent \(name); there is \(others).")
    }
}

extension Fleet.ObservedAgent {
    /// Whether everything is known that the choice of a camera depends on.
    var isKnown: Bool { info != nil && availability != nil }

    /// `offline` or `stopped`; nil if the agent is online or its availability is not known.
    var absence: Availability.State? { availability.flatMap { $0.state == .online ? nil : $0.state } }
}
