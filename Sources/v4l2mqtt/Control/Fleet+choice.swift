internal import Messages

extension Fleet {
    /// The one camera that the options mean, as far as they say.
    ///
    /// - Throws: why there is none, or which there are.
    func choice(_ options: BusOptions) throws(CommandError) -> Name {
        let agent = try agentOfChoice(options)
        // Where the camera is named too, it needn't be known which there are.
        guard let known = agents[agent]?.info?.cameras ?? options.camera.map({ [$0] }) else {
            throw CommandError(
                .badTopic, "\(agent) doesn't say which cameras it has. Name one with --camera.")
        }
        let cameras = known.map(\.printable).joined(separator: ", ")
        guard !known.isEmpty else { throw CommandError(.badTopic, "\(agent) has no camera.") }
        guard let camera = options.camera ?? (known.count == 1 ? known.first : nil) else {
            throw CommandError(.badTopic, "\(agent) has the cameras \(cameras). Name one with --camera.")
        }
        guard known.contains(camera) else {
            throw CommandError(.badTopic, "\(agent) has no camera \"\(camera)\"; it has \(cameras).")
        }
        return Name(agent: agent, camera: camera)
    }

    private func agentOfChoice(_ options: BusOptions) throws(CommandError) -> String {
        let all = agents.keys.sorted()
        guard !all.isEmpty else {
            throw CommandError(
                .unavailable,
                "There is no agent below \(options.baseTopic)/ at \(options.host):\(options.port).")
        }
        if let error = unknownAgent(options) { throw error }
        let asked = all.filter { options.agent == nil || $0 == options.agent }
        let there = asked.filter { agents[$0]?.isAway == nil }
        if there.isEmpty {
            let words = asked.map { "\($0) is \(agents[$0]?.isAway?.rawValue ?? "")" }
            throw CommandError(.unavailable, words.joined(separator: ", ") + ".")
        }
        guard there.count == 1, let agent = there.first else {
            throw CommandError(
                .badTopic,
                "There is more than one agent: \(there.joined(separator: ", ")). Name one with --agent.")
        }
        return agent
    }

    /// What is wrong with the agent that the options name, when there are others only.
    func unknownAgent(_ options: BusOptions) -> CommandError? {
        guard let name = options.agent, agents[name] == nil, !agents.isEmpty else { return nil }
        let others = agents.keys.sorted().joined(separator: ", ")
        return CommandError(.badTopic, "There is no agent \(name); there is \(others).")
    }
}

extension Fleet.Agent {
    /// Whether all is known of it that a choice is made by.
    var isKnown: Bool { info != nil && availability != nil }

    /// How it isn't there; nil when it is, as far as one knows.
    var isAway: Availability.State? { availability.flatMap { $0.state == .online ? nil : $0.state } }
}
