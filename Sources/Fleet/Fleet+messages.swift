package import Contract

/// The parts of an agent's `info` that the fleet needs. Other programs may read more of it.
private struct Info: Form {
    var cameras: [String]
    var clients: String?

    init(_ f: inout some FormVisitor<Self>) {
        cameras = f("cameras", \.cameras, .each(.any), "")
        clients = f.maybe("clients", \.clients, .any, "")
    }
}

extension Fleet {
    /// Takes a message of the broker.
    package mutating func take(_ topic: String, _ payload: [UInt8], at time: Instant) -> ReceivedMessage {
        Topics.parse(topic, below: base).map { take($0, payload, at: time) } ?? .other
    }

    package mutating func take(
        _ parts: TopicParts, _ payload: [UInt8], at time: Instant
    ) -> ReceivedMessage {
        defer { readFurther(at: time) }
        switch (parts.place, parts.kind) {
        case (.agent(let name), .state) where needs.agent ?? name == name:
            return take(agent: name, parts.node, payload, at: time)
        case (.camera(let address), .state), (.camera(let address), .live):
            return take(address, parts.path, payload, at: time)
        default: return .other
        }
    }

    private mutating func take(
        agent name: String, _ node: String, _ payload: [UInt8], at time: Instant
    ) -> ReceivedMessage {
        let (came, size): (WritableKeyPath<Agent, Bool>, WritableKeyPath<Agent, Int>)
        switch node {
        case "info": (came, size) = (\.came.info, \.sizes.info)
        case "availability": (came, size) = (\.came.availability, \.sizes.availability)
        default: return .other
        }
        let isKnown = agents[name] != nil
        if !isKnown && payload.isEmpty { return .other }
        if !isKnown && agents.count >= limits.agents {
            return .leftOut(reason: "there are \(limits.agents) agents")
        }
        var agent = agents[name] ?? Agent()
        // Without another reference, the changes copy nothing.
        agents[name] = nil
        defer {
            if agent.availability == nil && agent.cameraNames == nil && payload.isEmpty {
                forget(agent)
            } else {
                agents[name] = agent
                if !isKnown { reading.found(name, at: time) }
            }
        }
        if !agent[keyPath: came] { reading.progressed(name, at: time) }
        agent[keyPath: came] = true
        let before = agent[keyPath: size]
        if let reason = reasonToLeaveOut(payload.count, limits.info, insteadOf: before, of: agent) {
            return .leftOut(reason: reason)
        }
        agent[keyPath: size] = payload.count
        count(payload.count - before, &agent)
        agent.facts.take(node, payload, at: time)
        let earlier = agent.cameras.keys
        if node == "info" {
            takeInfo(of: &agent, payload, at: time)
            // Messages of cameras that were not listed yet were left out.
            if isKnown, agent.cameras.keys.contains(where: { !earlier.contains($0) }) {
                reading.read(name, at: time)
            }
        } else {
            agent.availability = JSON.value(Availability.self, from: payload)
            agent.onlineUntil = agent.availability?.lifetimeSeconds.map { time + .seconds($0) }
            if let until = agent.onlineUntil { nextSilence = min(nextSilence ?? until, until) }
        }
        let cameras = Set(earlier).union(agent.cameras.keys).sorted()
        return .change(
            .agent(name, node: node, cameras: cameras.map { CameraAddress(agent: name, camera: $0) }))
    }

    private mutating func takeInfo(of agent: inout Agent, _ payload: [UInt8], at time: Instant) {
        let info = JSON.value(Info.self, from: payload)
        // One that cannot be read changes nothing.
        guard info != nil || payload.isEmpty else { return }
        agent.takesOnlyProvedClients = info?.clients == "proved"
        var names: Set<String> = []
        agent.cameraNames = info?.cameras.filter { Topics.isName($0) && names.insert($0).inserted }
        let selected = (agent.cameraNames ?? []).filter { needs.camera ?? $0 == $0 }
            .prefix(limits.camerasOfAgent)
        cameraCount -= agent.cameras.count
        let room = max(0, limits.cameras - cameraCount)
        let kept = agent.cameras
        agent.cameras = Dictionary(
            uniqueKeysWithValues: selected.prefix(room).map { ($0, kept[$0] ?? Camera()) })
        cameraCount += agent.cameras.count
        for (name, camera) in kept where agent.cameras[name] == nil {
            count(-camera.sizes.reduce(0) { $0 + Int($1) }, &agent)
        }
    }

    private mutating func take(
        _ address: CameraAddress, _ node: String, _ payload: [UInt8], at time: Instant
    ) -> ReceivedMessage {
        let isFollowed = followed[address] != nil
        let number = numbers[node].flatMap {
            isFollowed || $0 < needs.required.count + needs.optional.count ? $0 : nil
        }
        guard number != nil || needs.live.contains(node) || isFollowed && needs.followedLive.contains(node)
        else { return .other }
        guard let index = agents.index(forKey: address.agent),
            let place = agents.values[index].cameras.index(forKey: address.camera)
        else { return .unlisted }
        var camera = agents.values[index].cameras.values[place]
        agents.values[index].cameras.values[place] = Camera()
        defer { agents.values[index].cameras.values[place] = camera }
        let isNew = number.map { camera.came & 1 << UInt64($0) == 0 } ?? false
        if let number { camera.came |= 1 << UInt64(number) }
        if isNew { reading.progressed(address.agent, at: time) }
        let before = number.flatMap { camera.sizes.isEmpty ? nil : Int(camera.sizes[$0]) } ?? 0
        let isLive = needs.live.contains(node) || needs.followedLive.contains(node)
        let limit =
            ["info", "availability", "event"].contains(node)
            ? limits.info : isLive ? limits.live : limits.state
        if let reason = reasonToLeaveOut(
            payload.count, limit, insteadOf: before, of: agents.values[index], isKept: number != nil)
        {
            return .leftOut(reason: reason)
        }
        if let number {
            if camera.sizes.isEmpty { camera.sizes = Array(repeating: 0, count: needs.states.count) }
            camera.sizes[number] = Int32(clamping: payload.count)
            bytes += payload.count - before
            agents.values[index].bytes += payload.count - before
        }
        camera.facts.take(node, payload, at: time)
        if node == "availability" {
            camera.availability = JSON.value(Availability.self, from: payload)
        }
        return .change(.camera(address, node: node))
    }

    /// Why a message is not taken in the place of another one; nil: it is. What becomes smaller always is.
    private func reasonToLeaveOut(
        _ size: Int, _ limit: Int, insteadOf before: Int, of agent: Agent, isKept: Bool = true
    ) -> String? {
        if size > limit { return "\(size) bytes" }
        guard isKept, size > before else { return nil }
        if bytes + size - before > limits.bytes {
            return "all messages together have \(limits.bytes >> 20) MiB"
        }
        if agent.bytes + size - before > limits.bytesOfAgent {
            return "those of its agent together have \(limits.bytesOfAgent >> 20) MiB"
        }
        return nil
    }

    private mutating func count(_ more: Int, _ agent: inout Agent) {
        bytes += more
        agent.bytes += more
    }

    /// Counts an agent no more that was taken out.
    mutating func forget(_ agent: Agent) {
        bytes -= agent.bytes
        cameraCount -= agent.cameras.count
    }
}
