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
    package var cameraAnswers: [BusFilter] {
        // An agent that uses 3.1.1 doesn't see the response topic, whichever version is used here.
        let withoutResponseTopic = ["\(base)/\(agent)/\(camera)/+/reply", "\(prefix)\(agent)/\(camera)/+"]
        return withoutResponseTopic.map { BusFilter($0, .newOnly) } + [response]
    }

    /// The same, and to those of agents that were asked for their retained messages.
    package var answers: [BusFilter] { cameraAnswers + refreshAnswers }

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

    /// A command as a message of the contract (`schemas/README.md`).
    ///
    /// - Parameters:
    ///   - id: nil: it is not answered.
    ///   - sender: for which it is sent; nil: this client.
    package func command(
        _ node: Node, _ fields: JSONObject, id: String? = nil, to camera: CameraAddress,
        for sender: String? = nil, in fleet: Fleet<some Facts, some Facts>
    ) -> (topic: String, payload: [UInt8]) {
        let isProved = fleet.agents[camera.agent]?.takesOnlyProvedClients ?? false
        let sender = sender ?? client
        var command: JSONObject = [
            "id": id.map(JSON.text), "client": isProved && sender == client ? nil : .text(sender),
        ]
        for field in fields.members where !["id", "client"].contains(field.name) {
            command[field.name] = field.value
        }
        return (fleet.topic(of: node, at: camera, as: client), JSON.bytes(JSON.object(command)))
    }

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

    /// Of an answer that is JSON. A list of media has 100 files at the most.
    private static let maxAnswerBytes = 512 << 10

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
    /// - Parameters:
    ///   - requests: those without a final answer, by their ids.
    ///   - request: one of them.
    /// - Returns: nil: it answers none of the requests, or is too large.
    package func answer<Request>(
        in message: BusMessage, to requests: [String: Request], _ request: (Request) -> ClientRequest
    ) -> (id: String, answer: Answer)? {
        if message.topic == responseTopic {
            guard let correlation = message.correlation,
                let id = requests.first(where: { request($1).correlation.utf8.elementsEqual(correlation) })?
                    .key
            else { return nil }
            if message.isBytes { return (id, .bytes) }
            guard message.payload.count <= Self.maxAnswerBytes, var reply = Reply(anyOf: message.payload)
            else { return nil }
            // An answer without an id is that to a command which was refused before it was read.
            guard reply.id == nil || reply.id == id else { return nil }
            reply.id = id
            return (id, .reply(reply))
        }
        guard message.payload.count <= Self.maxAnswerBytes, let parts = parts(of: message.topic),
            parts.kind == .answer
        else { return nil }
        func isMeant(_ one: Request) -> Bool {
            request(one).camera == parts.camera && request(one).node.name == parts.node
        }
        guard requests.values.contains(where: isMeant), let reply = Reply(anyOf: message.payload),
            let id = reply.id, let one = requests[id], isMeant(one),
            message.correlation?.elementsEqual(request(one).correlation.utf8) ?? true
        else { return nil }
        return (id, .reply(reply))
    }
}

extension BusMessage {
    /// Whether it has bytes and no JSON, as its sender says.
    fileprivate var isBytes: Bool { contentType != nil && contentType != "application/json" }
}

extension Reply {
    /// The answer in a message, or an error in place of one of which a field is wrong; nil: it is no object.
    fileprivate init?(anyOf payload: [UInt8]) {
        if let reply = JSON.value(Reply.self, from: payload) {
            self = reply
            return
        }
        guard let fields = JSON(payload)?.object else { return nil }
        self.init(.error, boot: 1, ts: Timestamp.text())
        (id, error) = (fields["id"]?.text, .unreadableAnswer)
    }
}

extension CommandError {
    package static let unreadableAnswer = CommandError(.internal, "The agent's answer can't be read.")
}
