internal import Base
internal import Bus
internal import Contract
internal import Fleet

/// The requests to one camera, and their answers.
final class CameraRequests {
    /// What comes of the camera.
    enum Incoming {
        /// The final answer to a request.
        case reply(Reply, id: String)
        /// Bytes in the place of an answer; they end the request by ``end(_:)``.
        case bytes(BusMessage, id: String)
        /// A message that is no answer.
        case message(BusMessage)
        case interrupt
    }

    let session: CtlSession
    let address: CameraAddress
    let topics: Topics
    private var answers: Answers
    /// The requests without a final answer.
    private var pending: [String: ClientRequest] = [:]
    private var requestTopics: Set<String> = []
    /// Said too if the camera is lost when no request waits for its answer; nil: nothing is lost then.
    var lossNote: String?

    var options: CtlOptions { session.options }

    init(_ session: CtlSession, _ address: CameraAddress, _ rule: Answers.Rule = .each) {
        (self.session, self.address) = (session, address)
        topics = Topics(base: session.options.baseTopic, agent: address.agent)
        answers = Answers(rule)
        answers.add(address, in: session.fleet)
    }

    // MARK: Requests

    /// - Returns: the id of the request.
    @discardableResult
    func send(_ node: Node, _ fields: JSONObject, timeout: Duration = Answers.timeout) -> String {
        let (id, correlation) = session.nextRequest()
        pending[id] = ClientRequest(node, of: address, correlation: correlation)
        answers.expectMore(id, of: address, until: session.now + timeout)
        let topic = session.topic(of: node, at: address)
        requestTopics.insert(topic)
        session.publish(
            topic, JSON.bytes(JSON.object(fields.sent(as: id, options))), correlation: correlation)
        return id
    }

    /// Asks the camera to publish its retained messages again.
    ///
    /// - Returns: the correlation data of the request.
    func askForStates() -> String {
        let correlation = options.requestID(0)
        session.publish(
            topics.refresh(
                camera: address.camera,
                client: session.takesOnlyProvedClients(address) ? options.client : nil),
            JSON.bytes(JSON.object(["client": .text(options.client)])), correlation: correlation)
        return correlation
    }

    /// Sends a request and waits for its final answer.
    ///
    /// - Throws: ``Ending/refused(_:)`` if it was not carried out.
    func request(_ node: Node, _ fields: JSONObject) throws(Ending) -> Reply {
        let id = send(node, fields)
        while true {
            if case .reply(let reply, id) = try next() { return try checked(reply) }
        }
    }

    func checked(_ reply: Reply) throws(Ending) -> Reply {
        guard reply.status == .done, reply.error == nil else { throw .refused(reply) }
        return reply
    }

    func end(_ id: String) {
        pending[id] = nil
        answers.end(id, of: address)
    }

    // MARK: Events

    /// - Returns: nil: this deadline has passed, or something that changes nothing has happened.
    /// - Throws: why no answer comes any more.
    func next(before deadline: ContinuousClock.Instant? = nil) throws(Ending) -> Incoming? {
        var event: Incoming?
        switch try session.next(before: earliest(deadline, answers.deadline)) {
        case .message(let message): event = take(message)
        case .connection(.disconnected(let reason, _)): if isOwing { throw lost(reason) }
        case .refused(let topic, let reason) where requestTopics.contains(topic):
            throw .failed(.refusedByBroker(topic, reason))
        case .interrupt: event = .interrupt
        case nil: answers.pass(at: session.now, in: session.fleet)
        case .connection, .drained, .refused, .signal, .keys: break
        }
        if isOwing, case .silent = answers.members[address]?.result {
            let silence = answers.silence(of: address, in: session.fleet, at: session.now)
            throw lost(silence.sentence(about: address.agent))
        }
        return event
    }

    private var isOwing: Bool { !pending.isEmpty || lossNote != nil }

    private func lost(_ reason: String) -> Ending {
        let note = pending.isEmpty ? lossNote.map { " \($0)" } : nil
        return .failed(.unavailable, reason + (note ?? ""))
    }

    private func take(_ message: BusMessage) -> Incoming? {
        switch session.answerTopics.answer(in: message, to: pending, { $0 }) {
        case (let id, .reply(let reply))?:
            switch answers.take(reply, to: id, of: address) {
            case .accepted: session.noteThatItWaits(id)
            case .final:
                pending[id] = nil
                return .reply(reply, id: id)
            case nil: break
            }
            return nil
        case (let id, .bytes)?: return .bytes(message, id: id)
        case nil: break
        }
        if message.topic == topics.agentAvailability {
            answers.follow(address.agent, in: session.fleet, at: session.now)
        }
        return .message(message)
    }
}
