internal import Base
internal import Bus
internal import Contract
internal import Fleet

extension CtlSession {
    /// Clears what the broker retains of an agent, or of one of its cameras, that is gone for good: all below
    /// its topic, and the documents for Home Assistant.
    ///
    /// - Parameters:
    ///   - agent: a name, as all agents have it.
    ///   - camera: nil: the whole agent.
    ///   - prefix: of the topics of documents, the agents' `home_assistant.prefix`.
    /// - Returns: the exit code.
    package static func forget(
        _ agent: String, _ camera: String?, below prefix: String, _ options: CtlOptions,
        _ surroundings: any Surroundings
    ) -> Int32 {
        var options = options
        options.agent = agent
        let session = CtlSession(options, surroundings, FleetNeeds(agent: agent, required: []))
        do throws(Ending) {
            try session.settle()
            try session.checkAbsence(of: agent, camera)
            return try session.forget(
                Forgetting(Topics(base: options.baseTopic, agent: agent), camera, prefix))
        } catch {
            return session.report(error)
        }
    }

    /// - Throws: an error if the agent is there; for a camera, if the agent still lists it.
    private func checkAbsence(of agent: String, _ camera: String?) throws(Ending) {
        guard try isThere(agent) else { return }
        guard let camera else {
            throw .failed(.conflict, "\(agent) is online. Stop its agent before you forget it.")
        }
        if fleet.agents[agent]?.cameraNames?.contains(camera) ?? true {
            throw .failed(
                .conflict, "\(agent) is online with \(camera). Remove it from the configuration of \(agent).")
        }
    }

    /// Whether an agent is online, or answers although the broker says otherwise.
    private func isThere(_ agent: String) throws(Ending) -> Bool {
        if fleet.presence(of: agent, at: now) == .online(reason: nil) { return true }
        ask(agent: agent)
        let limit = now + Self.askingPeriod
        while now < limit {
            guard case .message(let message) = try next(before: limit) else { continue }
            let parts = answerTopics.parts(of: message.topic)
            if parts?.kind == .answer, parts?.place == .agent(agent) { return true }
        }
        return false
    }

    /// A client may publish again what is cleared.
    private static var maxReadings: Int { 100 }

    /// Clears what is found until nothing is found any more. A broker drops some of very many retained
    /// messages, so that one reading may not have all.
    private func forget(_ what: Forgetting) throws(Ending) -> Int32 {
        var what = what
        let (agent, camera) = (what.topics.agent, what.camera)
        what.add(fleet.agents[agent]?.cameraNames ?? [])
        var (cleared, refusals): ([String], [String: String]) = ([], [:])
        var found = try retained(what)
        if found.isEmpty {
            try checkSelectedAgent()
            throw .failed(.badTopic, "The broker retains nothing of \(what.name).")
        }
        for _ in 0..<Self.maxReadings {
            what.add(found.compactMap { Topics.parse($0, below: options.baseTopic)?.camera?.camera })
            let known = Set(cleared)
            let new = found.filter { !known.contains($0) }
            if new.isEmpty { break }
            try clear(what.inOrder(new), &refusals)
            cleared += new
            found = try retained(what)
        }
        let left = Set(found)
        conclude(cleared.filter { !left.contains($0) }.sorted(), left: left.sorted(), of: what.name)
        if let camera, fleet.agents[agent]?.cameraNames?.contains(camera) ?? false {
            printError(
                text:
                    "The info of \(agent) still lists \(camera). If all of \(agent) is gone, forget \(agent)."
            )
        }
        if left.isEmpty { return 0 }
        let reason =
            left.compactMap { refusals[$0] }.first.map { "the broker refuses to clear it: \($0)" }
            ?? "the account may not clear it, or a client has published it again"
        printError(text: "The broker still retains \(left.sorted().listed(atMost: 8)); \(reason).")
        return 1
    }

    private func conclude(_ cleared: [String], left: [String], of name: String) {
        if options.json {
            return output(
                JSON.line(
                    JSON.object([
                        "cleared": .list(cleared.map(JSON.text)), "left": .list(left.map(JSON.text)),
                    ])))
        }
        for topic in cleared { output(PrintableLine(topic)) }
        output("Retained messages of \(name) that are cleared: \(cleared.count)")
    }

    /// The topics of all that the broker retains.
    private func retained(_ what: Forgetting) throws(Ending) -> [String] {
        renew(what.filters)
        var (found, isSubscribed, limit): ([String], Bool, Instant) = ([], false, now + Self.brokerTimeout)
        while now < limit {
            switch try next(before: limit) {
            case .connection(.subscribed): isSubscribed = true
            case .message(let message) where message.isRetained && what.includes(message.topic):
                if !message.payload.isEmpty { found.append(message.topic) }
            default: continue
            }
            limit = now + (isSubscribed ? Self.askingPeriod : Self.brokerTimeout)
        }
        guard isSubscribed else { throw .brokerIsSilent }
        return found
    }

    /// - Parameter refusals: the reasons of the broker, by topic.
    private func clear(_ topics: [String], _ refusals: inout [String: String]) throws(Ending) {
        for topic in topics { publish(topic, [], isRetained: true) }
        var limit = now + Self.brokerTimeout
        while true {
            switch try next(before: limit) {
            case .drained: return
            case .refused(let topic, let reason): refusals[topic] = reason
            case nil where limit <= now: throw .brokerIsSilent
            case nil: continue
            default: break
            }
            limit = now + Self.brokerTimeout
        }
    }
}

/// The topics of an agent, or of one of its cameras.
private struct Forgetting {
    let topics: Topics
    let camera: String?
    private let prefix: String
    /// Of the documents for Home Assistant. They are named one by one: those of all cameras of a large fleet
    /// would be too many for the broker.
    private var documents: Set<String> = []

    init(_ topics: Topics, _ camera: String?, _ prefix: String) {
        (self.topics, self.camera, self.prefix) = (topics, camera, prefix)
        if let camera { documents = [topics.discovery(of: camera, below: prefix)] }
    }

    var name: String { camera.map { "\(topics.agent)/\($0)" } ?? topics.agent }

    /// The topic without its last slash.
    private var root: String { "\(topics.base)/\(name)" }

    /// Adds cameras of which there may be documents, if it is about all.
    mutating func add(_ cameras: [String]) {
        guard camera == nil else { return }
        documents.formUnion(cameras.map { topics.discovery(of: $0, below: prefix) })
    }

    var filters: [BusFilter] {
        (documents.sorted() + ["\(root)/#"]).map { BusFilter($0, .retainedThenNew, qos: .atMostOnce) }
    }

    func includes(_ topic: String) -> Bool {
        topic.utf8.starts(with: "\(root)/".utf8) || documents.contains(topic)
    }

    /// What names the cameras is last, so that a run that was interrupted can be repeated.
    func inOrder(_ found: [String]) -> [String] {
        found.filter { !topics.retained.contains($0) } + topics.retained.filter(found.contains)
    }
}
