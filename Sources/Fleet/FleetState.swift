package import Contract

/// The agents of a broker and the cameras that they list, as their messages describe them. It does no I/O:
/// the program hands on events and messages, and carries out ``takeActions()`` after each.
///
/// A broker drops retained messages that a client does not take in time, and does not say which is the last
/// one. So each agent is read by its name, a few at a time (``FleetReading``), and only what was read so can
/// be missing.
package struct Fleet<AgentFacts: Facts, CameraFacts: Facts> {
    package typealias Instant = ContinuousClock.Instant

    package struct Camera {
        package internal(set) var facts = CameraFacts()
        package internal(set) var availability: Availability?
        /// The states that have come by this connection, each a bit.
        var came: UInt64 = 0
        /// The bytes of each state.
        var sizes: [Int32] = []
    }

    package struct Agent {
        package internal(set) var facts = AgentFacts()
        package internal(set) var availability: Availability?
        /// The names in its `info`, each once; nil: none has come.
        package internal(set) var cameraNames: [String]?
        package internal(set) var takesOnlyProvedClients = false
        /// Those that are selected and that `info` lists.
        package internal(set) var cameras: [String: Camera] = [:]
        /// Until then it is online, if it does not renew its availability; nil: until another one comes.
        var onlineUntil: Instant?
        /// Whether its `info` and its availability have come by this connection.
        var came: (info: Bool, availability: Bool) = (false, false)
        /// The bytes of both.
        var sizes: (info: Int, availability: Int) = (0, 0)
        /// Of all that is kept of it and of its cameras.
        var bytes = 0
    }

    package internal(set) var agents: [String: Agent] = [:]
    let base: String
    let needs: FleetNeeds
    let limits: FleetLimits
    let times: FleetTimes
    let numbers: [String: Int]
    /// The states of ``FleetNeeds/required``, and those that have to come of a followed camera, each a bit.
    let requiredStates, followedStates: UInt64
    var reading: FleetReading
    var followed: [CameraAddress: Following] = [:]
    var actions: [FleetAction] = []
    var cameraCount = 0
    /// Of all that is kept.
    package internal(set) var bytes = 0
    /// The first time at which an agent becomes silent.
    var nextSilence: Instant?

    /// - Parameter base: the first levels of all topics.
    package init(
        base: String, _ needs: FleetNeeds, _ times: FleetTimes, limits: FleetLimits = FleetLimits()
    ) {
        (self.base, self.needs, self.limits) = (base, needs, limits)
        let numbers = Dictionary(
            needs.states.enumerated().map { ($1, $0) }, uniquingKeysWith: { one, _ in one })
        func bits(_ nodes: [String]) -> UInt64 { nodes.reduce(0) { $0 | 1 << UInt64(numbers[$1] ?? 0) } }
        self.numbers = numbers
        requiredStates = bits(needs.required)
        followedStates = bits(needs.followed.filter { Node(name: $0) != nil || $0 == "info" })
        self.times = times
        reading = FleetReading(needs, times)
    }

    /// The subscriptions of each connection. A selected agent is only read by its name.
    package var subscriptions: [FleetAction] {
        let states = needs.agent == nil ? needs.required + needs.optional : []
        let place = "\(needs.agent ?? "+")/\(needs.camera ?? "+")"
        let later = (states + needs.live).map { "\(base)/\(place)/\($0)" }
        guard needs.agent == nil else { return [.subscribe(later, retained: false)] }
        return [
            .subscribe(["\(base)/+/availability"], retained: true),
            .subscribe(["\(base)/+/info"] + later, retained: false),
        ]
    }

    package subscript(_ address: CameraAddress) -> Camera? { agents[address.agent]?.cameras[address.camera] }

    /// All cameras, sorted.
    package var addresses: [CameraAddress] { agents.keys.sorted().flatMap(addresses(of:)) }

    /// Those of an agent, sorted.
    package func addresses(of agent: String) -> [CameraAddress] {
        (agents[agent]?.cameras.keys.sorted() ?? []).map { CameraAddress(agent: agent, camera: $0) }
    }

    /// Changes what is kept of an agent, if it is known.
    package mutating func update(agent: String, _ change: (inout AgentFacts) -> Void) {
        if let index = agents.index(forKey: agent) { change(&agents.values[index].facts) }
    }

    /// What is to be done now.
    package mutating func takeActions() -> [FleetAction] {
        defer { actions = [] }
        return actions
    }
}

// MARK: Presence

extension Fleet {
    package func presence(of agent: String, at time: Instant) -> Presence {
        guard let known = agents[agent], let availability = known.availability,
            known.onlineUntil.map({ time < $0 }) ?? true
        else { return .silent }
        return availability.state == .online ? .online(reason: nil) : .agentAway(availability.state)
    }

    package func presence(of address: CameraAddress, at time: Instant) -> Presence {
        let agent = presence(of: address.agent, at: time)
        guard agent == .online(reason: nil) else { return agent }
        guard let availability = self[address]?.availability else { return .unknown }
        return availability.state == .online
            ? .online(reason: availability.reason) : .offline(reason: availability.reason)
    }

    /// Notes which agents have not renewed their availability in time.
    mutating func expire(at time: Instant) -> [FleetChange] {
        guard let nextSilence, nextSilence <= time else { return [] }
        let silent = agents.filter { $0.value.onlineUntil.map { $0 <= time } ?? false }.keys
        for agent in silent { silence(agent) }
        self.nextSilence = agents.values.compactMap(\.onlineUntil).min()
        return silent.sorted().map { .agent($0, node: "", cameras: addresses(of: $0)) }
    }

    /// An agent has no availability any more.
    mutating func silence(_ agent: String) {
        agents[agent]?.availability = nil
        agents[agent]?.onlineUntil = nil
    }
}
