package import Bus
package import Contract

/// A request of a client to one camera.
package struct ClientRequest: Sendable {
    package let camera: CameraAddress
    package let node: Node
    /// It is random (``newID()``): all agents answer on one topic, and one of them could otherwise answer in
    /// the place of another.
    package let correlation: String

    package init(_ node: Node, of camera: CameraAddress, correlation: String) {
        (self.node, self.camera, self.correlation) = (node, camera, correlation)
    }

    /// A text that no other client can guess.
    package static func newID() -> String { String(UInt64.random(in: 0...UInt64.max), radix: 16) }
}

/// The topics on which one client gets answers.
package struct ClientTopics: Sendable {
    package let base: String
    /// The sender of commands, and the level of the topics for answers that an ACL can give to its account.
    package let client: String
    /// Of the connection; no other run of a program has it.
    package let clientID: String
    /// For agents that use MQTT 5.
    package let responseTopic: String
    private let prefix: String
    /// The levels of the agent and of the camera.
    private let agent, camera: String

    /// - Parameters:
    ///   - agent: nil: all agents.
    ///   - camera: nil: all cameras.
    package init(
        base: String, client: String, clientID: String, agent: String? = nil, camera: String? = nil
    ) {
        (self.base, self.client, self.clientID) = (base, client, clientID)
        (self.agent, self.camera) = (agent ?? "+", camera ?? "+")
        prefix = Topics.answerPrefix(of: client)
        responseTopic = prefix + clientID
    }

    // MARK: Subscriptions

    /// To the answers of single cameras.
    package var answers: [BusFilter] {
        // An agent that uses 3.1.1 doesn't see the response topic, whichever version is used here.
        let withoutResponseTopic = ["\(base)/\(agent)/\(camera)/+/reply", "\(prefix)\(agent)/\(camera)/+"]
        return withoutResponseTopic.map { BusFilter($0, .newOnly) } + refreshAnswers + [response]
    }

    /// To the response topic, which only MQTT 5 has.
    package var response: BusFilter { BusFilter(responseTopic, .newOnly, needsV5: true) }

    /// To the answers of agents that were asked for their retained messages without a response topic.
    package var refreshAnswers: [BusFilter] {
        ["\(base)/\(agent)/\(Topics.refresh)/reply", "\(prefix)\(agent)/\(Topics.refresh)"]
            .map { BusFilter($0, .newOnly) }
    }

    /// To the answers of all cameras of a group.
    ///
    /// QoS 0: of the answers of many cameras at once, a broker would drop some with QoS 1.
    package var groupAnswers: [BusFilter] {
        refreshAnswers
            + ["\(base)/\(agent)/\(camera)/+/reply", "\(prefix)+/+/+"].map {
                BusFilter($0, .newOnly, qos: .atMostOnce)
            }
    }

    // MARK: Messages

    /// What a topic is about. Those of answers to this client have the kind `answer`, too.
    ///
    /// - Returns: nil: something else, or it is the response topic of single requests.
    package func parts(of topic: String) -> TopicParts? {
        if let parts = Topics.parse(topic, below: base) { return parts }
        guard var own = Topics.parse(topic, below: String(prefix.dropLast())), own.kind == .state else {
            return nil
        }
        own.kind = .answer
        return own
    }

    /// What a message answers.
    package enum Answer {
        case reply(Reply)
        /// Bytes in the place of a reply, such as a photo.
        case bytes
    }

    /// The answer in a message.
    ///
    /// It is assigned to its request by the correlation data on the response topic. An agent with MQTT 3.1.1,
    /// which knows neither, or one that does not accept the response topic, answers on the topic of the node,
    /// which an ACL can give to it alone, with the id of the request.
    ///
    /// - Parameter requests: those without a final answer, by their ids.
    /// - Returns: nil: it answers none of the requests.
    package func answer(
        in message: BusMessage, to requests: [String: ClientRequest]
    ) -> (id: String, answer: Answer)? {
        if message.topic == responseTopic {
            guard let correlation = message.correlation,
                let id = requests.first(where: { $1.correlation.utf8.elementsEqual(correlation) })?.key
            else { return nil }
            if message.isBytes { return (id, .bytes) }
            guard
                var reply = JSON.value(Reply.self, from: message.payload)
                    ?? (JSON.isObject(message.payload) ? .unreadable : nil)
            else { return nil }
            // An answer without an id is that to a command which was refused before it was read.
            guard reply.id == nil || reply.id == id else { return nil }
            reply.id = id
            return (id, .reply(reply))
        }
        guard let parts = parts(of: message.topic), parts.kind == .answer,
            requests.values.contains(where: { $0.camera == parts.camera && $0.node.name == parts.node }),
            let reply = JSON.value(Reply.self, from: message.payload), let id = reply.id,
            let request = requests[id], request.camera == parts.camera, request.node.name == parts.node,
            message.correlation?.elementsEqual(request.correlation.utf8) ?? true
        else { return nil }
        return (id, .reply(reply))
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
