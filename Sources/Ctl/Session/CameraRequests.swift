internal import Base
internal import Bus
internal import Contract

/// The requests to one camera, and their answers.
///
/// An answer is assigned to its request by the correlation data on the response topic. An agent with MQTT
/// 3.1.1, which knows neither, or one that does not accept the response topic, answers on the topic of the
/// node, which an ACL can give to it alone, with the id of the request.
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
    /// The nodes of the requests without a final answer.
    private var pending: [String: Node] = [:]
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
        let id = session.nextID()
        pending[id] = node
        answers.expectMore(id, of: address, until: session.now + timeout)
        let topic = session.topic(of: node, at: address)
        requestTopics.insert(topic)
        session.publish(topic, JSON.bytes(JSON.object(fields.sent(as: id, options))), id: id)
        return id
    }

    /// Asks the camera to publish its retained messages again.
    func askForStates() {
        session.publish(
            topics.refresh(
                camera: address.camera,
                client: session.takesOnlyProvedClients(address) ? options.client : nil),
            JSON.bytes(JSON.object(["client": .text(options.client)])), id: Topics.refresh)
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
        if let (id, reply) = answer(in: message) {
            switch answers.take(reply, to: id, of: address) {
            case .accepted: session.noteThatItWaits(id)
            case .final:
                pending[id] = nil
                return .reply(reply, id: id)
            case nil: break
            }
            return nil
        }
        if let id = correlatedRequest(of: message), message.isBytes { return .bytes(message, id: id) }
        if message.topic == topics.agentAvailability {
            answers.follow(address.agent, in: session.fleet, at: session.now)
        }
        return .message(message)
    }

    /// The pending request whose correlation data a message on the response topic has; nil: none.
    private func correlatedRequest(of message: BusMessage) -> String? {
        guard message.topic == options.responseTopic, let correlation = message.correlation else {
            return nil
        }
        return pending.keys.first { $0.utf8.elementsEqual(correlation) }
    }

    /// The answer in a message to a pending request; nil: there is none.
    private func answer(in message: BusMessage) -> (id: String, reply: Reply)? {
        if let id = correlatedRequest(of: message) {
            if message.isBytes { return nil }
            guard
                var reply = JSON.value(Reply.self, from: message.payload)
                    ?? (JSON.isObject(message.payload) ? .unreadable : nil)
            else { return nil }
            // An answer without an id is that to a command which was refused before it was read.
            guard reply.id == nil || reply.id == id else { return nil }
            reply.id = id
            return (id, reply)
        }
        guard pending.values.contains(where: { isReply(message.topic, of: $0) }),
            let reply = JSON.value(Reply.self, from: message.payload), let id = reply.id,
            let node = pending[id], isReply(message.topic, of: node),
            message.correlation?.elementsEqual(id.utf8) ?? true
        else { return nil }
        return (id, reply)
    }

    private func isReply(_ topic: String, of node: Node) -> Bool {
        let command = topics.command(for: node, camera: address.camera)
        return [nil, options.answerPrefix].contains { topics.reply(toCommandOn: command, below: $0) == topic }
    }
}

extension BusMessage {
    /// Whether it has bytes and no JSON, as its sender says.
    fileprivate var isBytes: Bool { contentType != nil && contentType != "application/json" }
}

extension Reply {
    /// In place of an answer of which a field is wrong.
    fileprivate static var unreadable: Reply {
        var reply = Reply(.error, boot: 1, ts: Timestamp.text())
        reply.error = CommandError(.internal, "The agent's answer can't be read.")
        return reply
    }
}
