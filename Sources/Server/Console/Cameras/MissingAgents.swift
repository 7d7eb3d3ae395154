/// The agents that are online and of which no `info` has come on the present connection to the broker. They
/// are asked for their retained messages: the broker may have these on another of its nodes, or have lost
/// them.
///
/// Each is asked once for a connection. An agent that was known on an earlier connection is one of them, so
/// that its cameras stay in the list (``EarlierMessages``).
struct MissingAgents {
    /// How long the broker may take to deliver the retained messages.
    private static let patience = Duration.seconds(2)
    /// The most agents that are asked in one turn: each of them publishes about 20 messages.
    private static let mostInATurn = 50
    /// A limit for the memory: clients without trust may publish to a broker too.
    private static let maxAgents = 20_000

    /// When each of them is asked.
    private var due: [String: ContinuousClock.Instant] = [:]
    /// Agents whose `info` has come, and those that were asked.
    private var settled: Set<String> = []

    /// There is a new connection.
    ///
    /// - Parameter agents: those that were online on the one before.
    mutating func begin(_ agents: some Sequence<String>, at time: ContinuousClock.Instant) {
        (due, settled) = ([:], [])
        for agent in agents { isOnline(agent, at: time) }
    }

    /// An agent has said that it is online.
    mutating func isOnline(_ agent: String, at time: ContinuousClock.Instant) {
        guard due[agent] == nil, !settled.contains(agent), due.count < Self.maxAgents else { return }
        due[agent] = time + Self.patience
    }

    /// The `info` of an agent has come, or the agent is away.
    mutating func settle(_ agent: String) {
        due[agent] = nil
        if settled.count < Self.maxAgents { settled.insert(agent) }
    }

    /// The agents that are to be asked now.
    mutating func take(at time: ContinuousClock.Instant) -> [String] {
        let agents = due.filter { $0.value <= time }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            .prefix(Self.mostInATurn).map(\.key)
        for agent in agents { settle(agent) }
        return agents
    }
}
