internal import Bus
internal import Contract

extension CtlOptions {
    /// Subscriptions to the agents, to these nodes of all cameras, and to the answers of all cameras.
    ///
    /// QoS 0: of the answers of many cameras at once, a broker would drop some with QoS 1.
    func groupFilters(cameraNodes nodes: [String]) -> [BusFilter] {
        let answers = ["\(cameraFilter)/+/reply", "\(answerPrefix)+/+/+"]
        return filters(cameraNodes: nodes) + refreshFilters
            + answers.map { BusFilter($0, .newOnly, qos: .atMostOnce) }
    }

    /// Subscriptions to the answers of cameras to a request to their group for retained messages.
    var groupRefreshFilters: [BusFilter] {
        ["\(baseTopic)/+/+/\(Topics.refresh)/reply", "\(answerPrefix)+/+/\(Topics.refresh)"]
            .map { BusFilter($0, .newOnly, qos: .atMostOnce) }
    }

    /// The camera that answers to a request to its group for retained messages; nil: it is no such answer.
    ///
    /// - Parameter id: of the request.
    func groupMember(answering id: String, _ message: BusMessage) -> CameraAddress? {
        guard let source = answerSource(of: message.topic), source.node == Topics.refresh,
            JSON.value(Reply.self, from: message.payload)?.id == id
        else { return nil }
        return source.address
    }

    /// The camera and the node that answer on a topic; nil: it is no topic for answers.
    func answerSource(of topic: String) -> (address: CameraAddress, node: String)? {
        let ownTopics = String(answerPrefix.dropLast())
        if case .camera(let address, let node) = Topics.subject(of: topic, below: ownTopics) {
            return node.contains("/") ? nil : (address, node)
        }
        guard case .camera(let address, let node) = Topics.subject(of: topic, below: baseTopic) else {
            return nil
        }
        let levels = node.split(separator: "/", omittingEmptySubsequences: false)
        return levels.count == 2 && levels[1] == "reply" ? (address, String(levels[0])) : nil
    }
}

extension Fleet {
    /// The cameras that belong to a group, sorted: by their `info`, or because they have answered a request
    /// to the group.
    func members(of group: String) -> [CameraAddress] {
        cameras.filter { $1.answeredGroups.contains(group) || $1.info?.groups?.contains(group) ?? false }
            .keys.sorted()
    }

    /// Why there is no camera of a group.
    func unknownGroup(_ group: String, _ options: CtlOptions) -> CommandError {
        let known = Set(cameras.values.flatMap { $0.info?.groups ?? [] }).sorted()
        if agents.isEmpty { return options.noAgent }
        let others = known.isEmpty ? "no camera belongs to a group" : "there is \(known.listed(atMost: 8))"
        return CommandError(.badTopic, "No camera belongs to the group \(group); \(others).")
    }

    /// Whether the agent of a camera is there to take a command. A camera that has answered is, although the
    /// agent's availability has not come.
    func isReachable(_ address: CameraAddress, at now: ContinuousClock.Instant) -> Bool {
        guard let agent = agents[address.agent], agent.availability != nil else {
            return !(cameras[address]?.answeredGroups.isEmpty ?? true)
        }
        return agent.absence == nil && !agent.isSilent(at: now)
    }

    func silence(of address: CameraAddress, at now: ContinuousClock.Instant) -> Silence {
        guard let agent = agents[address.agent] else { return .agentIsSilent }
        if let absence = agent.absence { return .agentIsAway(absence) }
        return agent.isSilent(at: now) ? .agentIsSilent : .noAnswer
    }

    /// Whether an agent takes commands on the topics of proved clients only.
    func takesOnlyProvedClients(_ address: CameraAddress) -> Bool {
        agents[address.agent]?.info?.takesOnlyProvedClients ?? false
    }

    /// The topic of a command to one camera. It ends in the name of the client where the camera takes only
    /// commands of proved clients.
    func topic(of node: Node, at address: CameraAddress, _ options: CtlOptions) -> String {
        Topics(base: options.baseTopic, agent: address.agent).command(
            for: node, camera: address.camera,
            client: takesOnlyProvedClients(address) ? options.client : nil)
    }

    /// The topic of a command to all cameras of a group. It ends in the name of the client where one of its
    /// members takes only commands of proved clients.
    func topic(
        of node: Node, toGroup group: String, _ members: some Sequence<CameraAddress>, _ options: CtlOptions
    ) -> String {
        Topics(base: options.baseTopic, agent: Topics.groups).command(
            for: node, camera: group,
            client: members.contains(where: takesOnlyProvedClients) ? options.client : nil)
    }
}
