internal import Bus
internal import Contract
internal import Fleet

/// What the fleet says about a camera, an agent or a group.
extension CtlSession {
    /// The cameras that belong to a group, sorted: by their `info`, or because they have answered a request
    /// to the group.
    func members(of group: String) -> [CameraAddress] {
        let listed = fleet.addresses.filter { belongs($0, to: group) }
        let others = answered.subtracting(listed)
        return others.isEmpty ? listed : (listed + others).sorted()
    }

    func belongs(_ address: CameraAddress, to group: String) -> Bool {
        fleet[address]?.facts.info?.groups?.contains(group) ?? false
    }

    /// Waits until all cameras of a group are known. The broker may have nothing of some: only their answers
    /// to a request to the group show them.
    ///
    /// - Parameters:
    ///   - asksAlways: whether the group is asked although nothing is missing. Each of its cameras
    ///     publishes all its retained messages then.
    ///   - received: called with each message.
    /// - Returns: the cameras, at least one.
    func settledMembers(
        of group: String, asksAlways: Bool, received: (BusMessage) -> Void = { _ in }
    ) throws(Ending) -> [CameraAddress] {
        try settle(received: received)
        if asksAlways || !fleet.unknownAgents.isEmpty || members(of: group).isEmpty {
            ask(group: group)
            try wait(until: now + Self.askingPeriod, received: received)
            // An agent that has answered publishes its messages within ten seconds.
            let isIncomplete = { [self] in
                answered.contains(where: { fleet.agents[$0.agent]?.cameraNames == nil })
            }
            try wait(until: now + FleetTimes.person.promise, while: isIncomplete, received: received)
            try settle(received: received)
        }
        let found = members(of: group)
        if found.isEmpty { throw .failed(unknownGroup(group)) }
        return found
    }

    /// Why there is no camera of a group.
    func unknownGroup(_ group: String) -> CommandError {
        if fleet.agents.isEmpty { return options.noAgent }
        let known = Set(fleet.addresses.flatMap { fleet[$0]?.facts.info?.groups ?? [] }).sorted()
        let others = known.isEmpty ? "no camera belongs to a group" : "there is \(known.listed(atMost: 8))"
        return CommandError(.badTopic, "No camera belongs to the group \(group); \(others).")
    }

    /// Why the fleet is not what the agents have retained, as a line for the user; nil: as far as is known it
    /// is. Nothing is expected of an agent that is not there.
    var incompleteNote: String? {
        let unknown = fleet.unknownAgents
        let faults = [
            unknown.isEmpty ? nil : "not all retained messages of \(unknown.listed(atMost: 8)) have come",
            leftOut.isEmpty ? nil : "left out: \(leftOut.sorted().listed(atMost: 8))",
        ].compactMap(\.self)
        return faults.isEmpty ? nil : "Incomplete: \(faults.joined(separator: "; "))."
    }

    /// Whether the agent of a camera is there to take a command. A camera that has answered is, although the
    /// agent's availability has not come.
    func isReachable(_ address: CameraAddress) -> Bool {
        switch fleet.presence(of: address.agent, at: now) {
        case .online: true
        case .silent: fleet.agents[address.agent]?.availability == nil && answered.contains(address)
        case .offline, .agentAway, .unknown: false
        }
    }

    /// Why a camera takes no command; nil: its agent is there.
    func absence(of address: CameraAddress) -> MemberResult? {
        isReachable(address)
            ? nil : .silent(reason: Silence(of: fleet.presence(of: address.agent, at: now)).text)
    }

    /// Whether an agent takes commands on the topics of proved clients only.
    func takesOnlyProvedClients(_ address: CameraAddress) -> Bool {
        fleet.agents[address.agent]?.takesOnlyProvedClients ?? false
    }

    /// The topic of a command to one camera.
    func topic(of node: Node, at address: CameraAddress) -> String {
        fleet.topic(of: node, at: address, as: options.client)
    }

    /// The topic of a command to all cameras of a group. It ends in the name of the client where one of its
    /// members takes only commands of proved clients.
    func topic(
        of node: Node, toGroup group: String, _ members: some Sequence<CameraAddress>
    ) -> String {
        Topics(base: options.baseTopic, agent: Topics.groups).command(
            for: node, group: group,
            client: members.contains(where: takesOnlyProvedClients) ? options.client : nil)
    }
}

// MARK: One camera

extension CtlSession {
    /// Waits until the camera that the options select is known. The agent can be omitted if only one is
    /// online, the camera if the agent has only one.
    ///
    /// - Throws: why there is no such camera, or which ones could be named.
    func chosenCamera() throws(Ending) -> CameraAddress {
        try settle()
        let agent = try selectedAgent()
        // A camera that the options name is tried even if the agent's info is not known.
        guard let known = fleet.agents[agent]?.cameraNames ?? options.camera.map({ [$0] }) else {
            throw .failed(
                .badTopic, "\(agent) hasn't published its list of cameras. Name one with --camera.")
        }
        let cameras = known.listed(atMost: 8)
        guard !known.isEmpty else { throw .failed(.badTopic, "\(agent) has no camera.") }
        guard let camera = options.camera ?? (known.count == 1 ? known.first : nil) else {
            throw .failed(.badTopic, "\(agent) has the cameras \(cameras). Name one with --camera.")
        }
        guard known.contains(camera), Topics.isName(camera) else {
            throw .failed(.badTopic, "\(agent) has no camera \"\(camera)\"; it has \(cameras).")
        }
        return CameraAddress(agent: agent, camera: camera)
    }

    private func selectedAgent() throws(Ending) -> String {
        try checkSelectedAgent()
        let selected = (options.agent.map { [$0] } ?? fleet.agents.keys.sorted())
        if selected.isEmpty { throw .failed(options.noAgent) }
        let online = selected.filter { fleet.absence(of: $0) == nil }
        if online.isEmpty {
            let words = selected.map { "\($0) is \(fleet.absence(of: $0)?.rawValue ?? "")" }
            throw .failed(.unavailable, words.listed(atMost: 8) + ".")
        }
        guard online.count == 1, let agent = online.first else {
            throw .failed(
                .badTopic,
                "There is more than one agent: \(online.listed(atMost: 8)). Name one with --agent.")
        }
        return agent
    }

    /// - Throws: an error for an agent that the options name and of which nothing has come, with the others.
    func checkSelectedAgent() throws(Ending) {
        guard let name = options.agent, fleet.agents[name] == nil else { return }
        try read(FleetNeeds(required: []))
        if fleet.agents.isEmpty { throw .failed(options.noAgent) }
        if fleet.agents[name] != nil { return }
        let others = fleet.agents.keys.sorted().listed(atMost: 8)
        throw .failed(.badTopic, "There is no agent \(name); there is \(others).")
    }
}
