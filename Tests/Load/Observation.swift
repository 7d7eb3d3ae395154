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
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        if levels.last == "config" {
            if let agent = plan.number(ofDocument: topic) { documents.note(agent, at: time) }
        } else if levels.count > 2, let agent = plan.number(ofAgent: levels[1]) {
            if levels[2] == "availability" {
                if JSON.value(Availability.self, from: payload)?.state == .online {
                    online.note(agent, at: time)
                }
            } else if levels.last == "reply", let reply = JSON.value(Reply.self, from: payload) {
                if reply.id == command, reply.status == .done { answers.note(agent, at: time) }
            }
        }
    }
}
