package import MQTTBus
internal import Messages

/// What a client of the broker sees of a swarm. It has no clock.
package struct SwarmObservation: Sendable {
    private let plan: SwarmPlan
    private let documentTopics: [String: Int]
    private let sampledTopics: Set<String>
    private let agentsPrefix: String
    /// The id of the group command whose answers are counted.
    private var command: String?

    /// The messages of the swarm.
    package private(set) var counts = MessageCounts()
    /// When the last of them came, since the begin of the run.
    package private(set) var last = Duration.zero
    /// The agents that have published `online`.
    package private(set) var online: AgentTimes
    /// The agents whose discovery document has come since ``awaitDocuments()``.
    package private(set) var documents: AgentTimes
    /// The agents that have carried out the command of ``awaitAnswers(to:)``.
    package private(set) var answers: AgentTimes
    /// The errors that were answered to that command, by code.
    package private(set) var refusals: [String: Int] = [:]
    /// The bytes of what the first agent retains, by topic.
    package private(set) var retained: [String: Int] = [:]

    package init(_ plan: SwarmPlan) {
        self.plan = plan
        documentTopics = Dictionary(uniqueKeysWithValues: (0..<plan.agents).map { (plan.document($0), $0) })
        sampledTopics = Set(plan.retained(0))
        agentsPrefix = "\(plan.baseTopic)/"
        online = AgentTimes(agents: plan.agents)
        (documents, answers) = (online, online)
    }

    /// The subscriptions for the messages that it counts: all that agents publish with a simulated camera in
    /// the scenarios. Each is for a connection of its own: a broker drops messages for a connection on which
    /// too many wait, 1,000 by default with mosquitto.
    ///
    /// QoS 0: for QoS 1 and 2 the number is not larger, and each message has to be acknowledged.
    package static func filters(_ plan: SwarmPlan) -> [BusFilter] {
        ["\(plan.baseTopic)/+/+", "\(plan.baseTopic)/+/+/+", "\(plan.baseTopic)/+/+/zoom/+"].map {
            BusFilter($0, .newOnly, qos: .atMostOnce)
        } + [BusFilter("\(plan.discoveryPrefix)/device/+/config", .newOnly, qos: .atMostOnce)]
    }

    /// From now on ``documents`` counts anew.
    package mutating func awaitDocuments() { documents = AgentTimes(agents: plan.agents) }

    /// From now on ``answers`` and ``refusals`` count the answers to the command with this id.
    package mutating func awaitAnswers(to id: String) {
        (command, answers, refusals) = (id, AgentTimes(agents: plan.agents), [:])
    }

    /// The bytes of the discovery document of the first agent; nil: none has come.
    package var documentBytes: Int? { retained[plan.document(0)] }

    /// - Parameter time: since the begin of the run.
    package mutating func receive(_ topic: String, _ payload: [UInt8], at time: Duration) {
        if let agent = documentTopics[topic] {
            count(topic, payload, at: time)
            if !payload.isEmpty { documents.note(agent, at: time) }
            return
        }
        guard topic.utf8.starts(with: agentsPrefix.utf8) else { return }
        let levels = topic.dropFirst(agentsPrefix.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard let agent = plan.number(ofAgent: levels[0]) else { return }
        count(topic, payload, at: time)
        if levels.count == 2, levels[1] == "availability" {
            if JSON.value(Availability.self, from: payload)?.state == .online { online.note(agent, at: time) }
        } else if levels.last == "reply" {
            answered(payload, agent, at: time)
        }
    }

    private mutating func count(_ topic: String, _ payload: [UInt8], at time: Duration) {
        counts.add(bytes: payload.count, at: time)
        last = time
        if sampledTopics.contains(topic) { retained[topic] = payload.isEmpty ? nil : payload.count }
    }

    private mutating func answered(_ payload: [UInt8], _ agent: Int, at time: Duration) {
        guard let command, let reply = JSON.value(Reply.self, from: payload), reply.id == command else {
            return
        }
        switch reply.status {
        case .accepted: break
        case .done: answers.note(agent, at: time)
        case .superseded, .error:
            refusals[reply.error?.code.rawValue ?? reply.status.rawValue, default: 0] += 1
        }
    }
}
