import Contract

/// What a client of the broker sees of the agents. It has no clock: times are since the begin of the run.
struct Observation {
    private let plan: LoadPlan
    /// The id of the group command whose answers are counted.
    private var command: String?

    private(set) var counts = MessageCounts()
    /// When the last message came.
    private(set) var last = Duration.zero
    /// The agents that have published `online`.
    private(set) var online: AgentTimes
    /// The agents whose discovery document has come since ``awaitDocuments()``.
    private(set) var documents: AgentTimes
    /// The agents that have answered the command of ``awaitAnswers(to:)`` with `done`.
    private(set) var answers: AgentTimes

    init(_ plan: LoadPlan) {
        self.plan = plan
        online = AgentTimes(agents: plan.agents)
        (documents, answers) = (online, online)
    }

    mutating func awaitDocuments() { documents = AgentTimes(agents: plan.agents) }

    mutating func awaitAnswers(to id: String) { (command, answers) = (id, AgentTimes(agents: plan.agents)) }

    mutating func receive(_ topic: String, _ payload: [UInt8], at time: Duration) {
        counts.add(bytes: payload.count, at: time)
        last = time
        if let agent = plan.number(ofDocument: topic) { return documents.note(agent, at: time) }
        guard let parts = plan.parts(of: topic) else { return }
        switch (parts.kind, parts.place) {
        case (.state, .agent(let name)) where parts.node == "availability":
            guard let agent = plan.number(ofAgent: name) else { return }
            if JSON.value(Availability.self, from: payload)?.state == .online {
                online.note(agent, at: time)
            }
        case (.answer, .camera(let address)):
            guard let agent = plan.number(ofAgent: address.agent),
                let reply = JSON.value(Reply.self, from: payload)
            else { return }
            if reply.id == command, reply.status == .done { answers.note(agent, at: time) }
        default: break
        }
    }
}
