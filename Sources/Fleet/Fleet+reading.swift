package import Contract

extension Fleet {
    /// There is a connection, and ``subscriptions`` are made. All that is known is read again.
    package mutating func connected(at time: Instant) {
        for index in agents.values.indices {
            agents.values[index].came = (false, false)
            for camera in agents.values[index].cameras.values.indices {
                agents.values[index].cameras.values[camera].came = 0
            }
        }
        reading.connected(agents.keys.sorted(), at: time)
        readFurther(at: time)
    }

    /// The broker has answered all subscriptions.
    package mutating func subscribed(at time: Instant) {
        reading.subscribed(at: time)
        readFurther(at: time)
    }

    /// The connection has ended. What is known stays.
    package mutating func disconnected() {
        let filters = reading.disconnected()
        if !filters.isEmpty { actions.append(.unsubscribe(filters)) }
    }

    /// Reads an agent that is known by other means: it has answered a request to its group.
    package mutating func read(_ agent: String, at time: Instant) {
        reading.read(agent, at: time)
        readFurther(at: time)
    }

    /// An agent that was asked has answered, and will publish.
    package mutating func promised(_ agent: String, at time: Instant) { reading.promised(agent, at: time) }

    /// The time of the next ``tick(at:)``; nil: it depends on messages only.
    package var deadline: Instant? {
        earliest(
            reading.deadline, reading.isConnected ? followed.values.compactMap(\.until).min() : nil,
            nextSilence
        )
    }

    /// To be called at ``deadline``, or each second.
    package mutating func tick(at time: Instant) -> [FleetChange] {
        var changes = expire(at: time)
        let (read, silent) = reading.tick(at: time)
        for agent in read {
            if mayAsk(agent), reading.ask(agent, at: time) {
                actions.append(.ask(agent: agent, camera: nil))
            } else {
                changes += giveUp(agent)
            }
        }
        for agent in silent { changes += giveUp(agent) }
        askFollowed(at: time)
        readFurther(at: time)
        return changes
    }

    /// Whether reading has ended: all agents that were found were read, and asked where something was
    /// missing.
    package var isRead: Bool { reading.isDone }

    /// The agents that are there, and of which `info` or a state did not come, sorted.
    package var unknownAgents: [String] { reading.unknown.filter { !isComplete($0) }.sorted() }

    /// The cameras of an agent that lack a state; nil: its `info` is missing.
    package func missingCameras(of agent: String) -> [CameraAddress]? {
        guard let known = agents[agent], known.cameraNames != nil else { return nil }
        return known.cameras.filter { !isComplete($0.value) }.keys.sorted()
            .map { CameraAddress(agent: agent, camera: $0) }
    }

    private func isComplete(_ name: String) -> Bool {
        guard let agent = agents[name], agent.came == (true, true) else { return false }
        return agent.availability?.state != .online
            || agent.cameraNames != nil
                && agent.cameras.values.allSatisfy(isComplete)
    }

    private func isComplete(_ camera: Camera) -> Bool {
        var missing = requiredStates & ~camera.came
        if missing == 0 { return true }
        guard let availability = camera.availability else { return false }
        if availability.state == .offline { return true }
        if availability.isDeviceClosed, let info = numbers["info"] { missing &= ~(1 << UInt64(info)) }
        return missing == 0
    }

    /// Nothing more is expected of an agent that was read.
    private mutating func giveUp(_ name: String) -> [FleetChange] {
        guard let agent = agents[name], !isComplete(name) else { return [] }
        let change = FleetChange.agent(name, node: "", cameras: addresses(of: name))
        if agent.came == (false, false) {
            agents[name] = nil
            forget(agent)
            return [change]
        }
        reading.gaveUp(name, isThere: agent.availability?.state == .online)
        if agent.came.availability { return [] }
        silence(name)
        return [change]
    }

    mutating func readFurther(at time: Instant) {
        for name in reading.takeProgressed() where isComplete(name) { reading.finished(name) }
        guard reading.hasRoom else { return }
        var begun: [String] = []
        while let (name, attempt) = reading.next() {
            if isComplete(name) { continue }
            let filters = filters(of: name, attempt: attempt)
            // The broker delivers nothing more to a subscription that exists.
            if needs.agent == name, let agent = agents[name], agent.came == (true, true) {
                actions.append(.unsubscribe(filters))
            }
            reading.begin(name, attempt: attempt, filters, at: time)
            begun += filters
        }
        let ended = reading.takeEnded(others: !begun.isEmpty)
        if !ended.isEmpty { actions.append(.unsubscribe(ended)) }
        if !begun.isEmpty { actions.append(.subscribe(begun, retained: true)) }
    }

    /// The second attempt names each camera, so that retained messages of others that the agent does not list
    /// do not fill the broker's queue.
    private func filters(of name: String, attempt: Int) -> [String] {
        let names = attempt == 1 || needs.agent != nil ? nil : agents[name]?.cameraNames
        let cameras = needs.camera.map { [$0] } ?? names.flatMap { $0.count <= 50 ? $0 : nil } ?? ["+"]
        let states = cameras.flatMap { camera in
            (needs.required + needs.optional).map { "\(camera)/\($0)" }
        }
        return (["availability", "info"] + states).map { "\(base)/\(name)/\($0)" }
    }

    /// The topics on which a client asks an agent, or one of its cameras, for its retained messages.
    package func topicsToAsk(_ agent: String, _ camera: String?, as client: String) -> [String] {
        let known = agents[agent]
        let isProved = known?.cameraNames == nil ? nil : known?.takesOnlyProvedClients
        return Topics(base: base, agent: agent)
            .refreshes(camera: camera, client: client, isProved: isProved)
    }

    /// The topic of a command to one camera. It ends in the name of the client where the agent takes only
    /// commands of proved clients: for others an ACL may not permit this topic.
    package func topic(of node: Node, at address: CameraAddress, as client: String) -> String {
        let isProved = agents[address.agent]?.takesOnlyProvedClients ?? false
        return Topics(base: base, agent: address.agent).command(
            for: node, camera: address.camera, client: isProved ? client : nil)
    }

    /// An agent that was online before may have nothing on this node of a broker.
    private func mayAsk(_ agent: String) -> Bool {
        agent == needs.agent || agents[agent]?.availability?.state == .online
    }
}
