package import Bus
package import Contract

/// Why a command was not carried out, or is not known to be.
package enum CommandFailure: Error {
    /// The camera or the broker refused it, or no answer came.
    case refused(CommandError)
    /// A later command took its place.
    case superseded
    /// The caller waits no longer.
    case cancelled
}

/// Commands to single cameras, each with its own answer, of one client that has MQTT 5. It does no I/O.
package struct CameraCommands {
    package typealias Instant = ContinuousClock.Instant

    /// The final answer, or the file that is the answer.
    package typealias Outcome = Result<BusMessage, CommandFailure>

    private struct Open {
        let target: ClientRequest
        let topic: String
        var answers = Answers(.each)
        let finish: (Outcome) -> Void
    }

    private let topics: ClientTopics
    private var open: [String: Open] = [:]

    package init(_ topics: ClientTopics) { self.topics = topics }

    /// When ``pass(at:in:)`` is due; nil: not before a message comes.
    package var deadline: Instant? { open.values.compactMap(\.answers.deadline).min() }

    /// Waits for the answer to a command.
    ///
    /// - Parameters:
    ///   - id: a new one (``ClientRequest/newID()``), which is the correlation data too; nil: the command is
    ///     a sample, which needs no answer.
    ///   - timeout: of the first answer.
    ///   - finish: is called once, unless this call throws. It must not call this value.
    /// - Returns: what is to be published.
    package mutating func add(
        _ id: String?, _ node: String, _ fields: JSONObject, to camera: String,
        in fleet: Fleet<some Facts, some Facts>, at now: Instant, within timeout: Duration,
        then finish: @escaping (Outcome) -> Void
    ) throws(CommandError) -> (topic: String, payload: [UInt8]) {
        guard let node = Node(name: node) else {
            throw CommandError(.badTopic, "There is no node \"\(node)\" that takes commands.")
        }
        guard let address = CameraAddress(camera), fleet[address] != nil else {
            throw CommandError(.badTopic, "There is no camera \"\(camera)\".")
        }
        let presence = fleet.presence(of: address.agent, at: now)
        guard case .online = presence else {
            throw CommandError(.unavailable, "Not sent: \(Silence(of: presence).text).")
        }
        let topic = fleet.topic(of: node, at: address, as: topics.client)
        var command: JSONObject = ["id": id.map(JSON.text), "client": .text(topics.client)]
        for field in fields.members where command[field.name] == nil { command[field.name] = field.value }
        if let id {
            var one = Open(
                target: ClientRequest(node, of: address, correlation: id), topic: topic, finish: finish)
            one.answers.add(address, in: fleet)
            one.answers.expect(id, until: now + timeout)
            open[id] = one
        }
        return (topic, JSON.bytes(JSON.object(command)))
    }

    /// Waits no longer.
    package mutating func cancel(_ id: String) { finish(id, .failure(.cancelled)) }

    /// Takes a message.
    ///
    /// - Returns: whether it is an answer.
    package mutating func take(_ message: BusMessage) -> Bool {
        guard let (id, answer) = topics.answer(in: message, to: open.mapValues(\.target)) else {
            return false
        }
        guard case .reply(let reply) = answer, let camera = open[id]?.target.camera else {
            finish(id, .success(message))
            return true
        }
        if open[id]?.answers.take(reply, to: id, of: camera) == .final {
            let failure =
                reply.error.map(CommandFailure.refused) ?? (reply.status == .done ? nil : .superseded)
            finish(id, failure.map { .failure($0) } ?? .success(message))
        }
        return true
    }

    /// The availability of an agent has changed.
    package mutating func follow(
        _ agent: String, in fleet: Fleet<some Facts, some Facts>, at now: Instant
    ) {
        for id in open.keys { open[id]?.answers.follow(agent, in: fleet, at: now) }
        giveUp(in: fleet, at: now)
    }

    /// Gives up what is due.
    package mutating func pass(at now: Instant, in fleet: Fleet<some Facts, some Facts>) {
        for id in open.keys { open[id]?.answers.pass(at: now, in: fleet) }
        giveUp(in: fleet, at: now)
    }

    private mutating func giveUp(in fleet: Fleet<some Facts, some Facts>, at now: Instant) {
        for (id, one) in open {
            let camera = one.target.camera
            guard case .silent = one.answers.members[camera]?.result else { continue }
            let silence = one.answers.silence(of: camera, in: fleet, at: now)
            let text = silence.sentence(about: camera.agent)
            finish(id, .failure(.refused(CommandError(.unavailable, text))))
        }
    }

    /// The broker refuses a message.
    package mutating func refused(_ topic: String, _ reason: String) {
        for (id, one) in open where one.topic == topic {
            finish(id, .failure(.refused(.refusedByBroker(topic, reason))))
        }
    }

    /// The connection has ended: answers that come meanwhile are lost.
    package mutating func lost(_ reason: String) {
        for id in open.keys { finish(id, .failure(.refused(CommandError(.unavailable, reason)))) }
    }

    private mutating func finish(_ id: String, _ outcome: Outcome) {
        open.removeValue(forKey: id)?.finish(outcome)
    }
}

extension CommandError {
    package static func refusedByBroker(_ topic: String, _ reason: String) -> CommandError {
        CommandError(.forbidden, "The broker refuses a message on \(topic): \(reason)")
    }
}
