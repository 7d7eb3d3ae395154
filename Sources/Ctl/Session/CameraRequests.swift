internal import Base
internal import Bus
internal import Contract
internal import Fleet

/// Requests to cameras, and their answers.
class Requests {
    /// What comes of cameras.
    enum Incoming {
        /// The final answer to a request.
        case reply(Reply, id: String, CameraAddress)
        /// Bytes in the place of an answer; they end the request by ``CameraRequests/end(_:)``.
        case bytes(BusMessage, id: String)
        /// A complete file of the recording that the command with this id has started.
        case file(RecordingFields, id: String, CameraAddress)
        case interrupt
    }

    let session: CtlSession
    var answers: Answers
    /// The requests to single cameras without a final answer that is found by correlation data.
    fileprivate var correlated: [String: ClientRequest] = [:]
    private var topics: Set<String> = []

    var options: CtlOptions { session.options }

    init(_ session: CtlSession, _ rule: Answers.Rule) { (self.session, answers) = (session, Answers(rule)) }

    func publish(
        _ topic: String, _ fields: JSONObject, as id: String, correlation: String? = nil
    ) {
        topics.insert(topic)
        session.publish(
            topic, JSON.bytes(JSON.object(fields.sent(as: id, options))), correlation: correlation)
    }

    /// - Returns: nil: this deadline has passed, or something that changes nothing has happened.
    func next(before deadline: ContinuousClock.Instant? = nil) throws(Ending) -> Incoming? {
        switch try session.next(before: earliest(deadline, answers.deadline)) {
        case .message(let message): return take(message)
        case .refused(let topic, let reason) where topics.contains(topic):
            throw .failed(.refusedByBroker(topic, reason))
        case .interrupt: return .interrupt
        case nil: answers.pass(at: session.now, in: session.fleet)
        case .connection, .drained, .refused, .signal, .keys: break
        }
        return nil
    }

    private func take(_ message: BusMessage) -> Incoming? {
        switch session.answerTopics.answer(in: message, to: correlated, { $0 }) {
        case (let id, .reply(let reply))?:
            return correlated[id].flatMap { take(reply, to: id, of: $0.camera) }
        case (let id, .bytes)?: return .bytes(message, id: id)
        case nil: break
        }
        guard let parts = session.answerTopics.parts(of: message.topic) else { return nil }
        switch (parts.place, parts.kind, parts.node) {
        case (.camera(let address), .answer, let node) where node != Topics.refresh:
            guard let reply = JSON.value(Reply.self, from: message.payload), let id = reply.id,
                correlated[id] == nil
            else { break }
            return take(reply, to: id, of: address)
        case (.camera(let address), _, "event"):
            return message.finishedFile.map { .file($0.file, id: $0.id, address) }
        case (.agent(let agent), .state, _): answers.follow(agent, in: session.fleet, at: session.now)
        default: break
        }
        return nil
    }

    private func take(_ reply: Reply, to id: String, of address: CameraAddress) -> Incoming? {
        switch answers.take(reply, to: id, of: address) {
        case .accepted: session.noteThatItWaits(id)
        case .final:
            correlated[id] = nil
            return .reply(reply, id: id, address)
        case nil: break
        }
        return nil
    }
}

/// The requests to one camera, and their answers.
final class CameraRequests: Requests {
    let address: CameraAddress

    init(_ session: CtlSession, _ address: CameraAddress, _ rule: Answers.Rule = .each) {
        self.address = address
        super.init(session, rule)
        // Nothing is waited for yet.
        answers.add(address, in: session.fleet, result: .done)
    }

    /// - Returns: the id of the request.
    @discardableResult
    func send(_ node: Node, _ fields: JSONObject, timeout: Duration = Answers.timeout) -> String {
        let (id, correlation) = session.nextRequest()
        correlated[id] = ClientRequest(node, of: address, correlation: correlation)
        answers.expectMore(id, of: address, until: session.now + timeout)
        publish(session.topic(of: node, at: address), fields, as: id, correlation: correlation)
        return id
    }

    /// Sends a request and waits for its final answer.
    ///
    /// - Throws: ``Ending/refused(_:)`` if it was not carried out.
    func request(_ node: Node, _ fields: JSONObject) throws(Ending) -> Reply {
        let id = send(node, fields)
        while true {
            if case .reply(let reply, id, _) = try next() { return try checked(reply) }
        }
    }

    func checked(_ reply: Reply) throws(Ending) -> Reply {
        guard reply.status == .done, reply.error == nil else { throw .refused(reply) }
        return reply
    }

    func end(_ id: String) {
        correlated[id] = nil
        answers.end(id, of: address)
    }

    /// - Throws: why no answer comes any more, too.
    override func next(before deadline: ContinuousClock.Instant? = nil) throws(Ending) -> Incoming? {
        let event = try super.next(before: deadline)
        guard case .silent = answers.members[address]?.result else { return event }
        let silence = answers.silence(of: address, in: session.fleet, at: session.now)
        throw session.lost(silence.sentence(about: address.agent))
    }
}
