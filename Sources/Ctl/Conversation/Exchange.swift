internal import Bus
internal import Contract

/// The requests to the camera that was chosen, and what the conversation waits for.
final class Exchange {
    typealias Instant = ContinuousClock.Instant

    /// What the conversation is waiting for.
    enum Step {
        /// Retained states of the camera; given up at `quiet`, which each message moves on, and at the latest
        /// at `latest`.
        case states(quiet: Instant, latest: Instant)
        /// The final answer to a command.
        case answer(listing: Set<String>)
        /// The answers to the same request to several nodes, of which one has what it is about.
        case cancellation
        /// The photo, as the answer to this request.
        case photo(request: String, to: PhotoDestination)
        /// The answer to the start of a recording.
        case recordingStart
        /// The state with the path of a recording that has started.
        case recordingPath
        /// The answer to the start of a recording of a given length, and its end, which may be reported
        /// before.
        case timedStart(request: String, end: RecordingFields?)
        /// The end of the recording that this request started.
        case timedEnd(request: String)
        /// Sample 0 was sent; its answer starts the gesture.
        case pinchStart(PinchGesture)
        /// When the sample of this number is sent.
        case pinchSample(PinchGesture, number: Int, at: Instant)
        /// The answer to the last sample of a pinch.
        case pinchEnd(request: String)
        /// A page of a list.
        case mediaList(MediaListing)
        /// The description of a file that is to be copied to this path.
        case mediaDescription(path: String)
        /// A part of a file, as the answer to this request.
        case mediaPart(MediaCopy, request: String)
    }

    static let answerTimeout = Duration.seconds(5)
    /// An agent whose will was published (`offline`) may be back after a short loss of its connection.
    static let offlineTimeout = Duration.seconds(5)

    let address: CameraAddress
    let topics: Topics
    private let options: CtlOptions
    /// Whether the agent takes commands from proved clients only: their topics end in the client.
    private let isProved: Bool
    var step: Step
    /// The count of starts of the agent. Another one means that it has lost all requests.
    private var boot: Int?
    /// When the agent is given up. Nil while it is online.
    private(set) var offlineDeadline: Instant?
    /// When the answer to the last request, or the state that follows it, is given up. Nil after `accepted`:
    /// the duration is unknown then.
    var answerDeadline: Instant?
    /// The requests without a final answer: their ids, and their nodes.
    private(set) var pending: [String: Node] = [:]
    private var requests = 0
    /// The topics of all requests.
    private(set) var requestTopics: Set<String> = []
    /// Whether the camera was asked for states that didn't come.
    private(set) var hasAsked = false
    /// The complete files of a recording that goes on in another one.
    var earlierFiles: [RecordingFields] = []
    /// Whether it was said that the command waits for its time.
    private var hasSaidThatItWaits = false

    /// - Parameter agent: what is known of the agent.
    init(_ address: CameraAddress, _ options: CtlOptions, of agent: Fleet.ObservedAgent?, step: Step) {
        self.address = address
        topics = Topics(base: options.baseTopic, agent: address.agent)
        self.options = options
        isProved = agent?.info?.takesOnlyProvedClients ?? false
        (boot, self.step) = (agent?.availability?.boot, step)
    }

    var deadline: Instant? {
        var deadlines = [answerDeadline, offlineDeadline]
        switch step {
        case .states(let quiet, let latest): deadlines.append(min(quiet, latest))
        case .pinchSample(_, _, let time): deadlines.append(time)
        default: break
        }
        return deadlines.compactMap { $0 }.min()
    }

    /// The id of the next request. A camera recognizes duplicates by client and id; the id differs from run
    /// to run.
    var nextID: String { options.requestID(requests + 1) }

    /// Sends a request with the id ``nextID``.
    func send(
        _ node: Node, _ fields: JSONObject, timeout: Duration = answerTimeout, at now: Instant
    ) -> Conversation.Action {
        pending[nextID] = node
        answerDeadline = now + timeout
        defer { requests += 1 }
        let topic = topics.command(
            for: node, camera: address.camera, client: isProved ? options.client : nil)
        requestTopics.insert(topic)
        return .publish(
            topic: topic, payload: JSON.bytes(JSON.object(fields.sent(as: nextID, options))), id: nextID)
    }

    /// The request for the retained messages of the camera, once.
    func askForStates() -> Conversation.Action? {
        guard !hasAsked else { return nil }
        hasAsked = true
        let topic = topics.refresh(camera: address.camera, client: isProved ? options.client : nil)
        return .publish(
            topic: topic, payload: JSON.bytes(JSON.object(["client": .text(options.client)])),
            id: Topics.refresh)
    }

    /// Says once how a command that waits for its time can be cancelled.
    func noteThatItWaits(_ reply: Reply) -> [Conversation.Action] {
        guard options.time != nil, !options.json, !hasSaidThatItWaits, let id = reply.id else { return [] }
        hasSaidThatItWaits = true
        return [.printError(options.waitingNote(of: id))]
    }

    /// The pending request whose correlation data a message on the response topic has; nil: none.
    func correlatedRequest(of message: BusMessage) -> String? {
        guard message.topic == options.responseTopic, let correlation = message.correlation else {
            return nil
        }
        return pending.keys.first { $0.utf8.elementsEqual(correlation) }
    }

    /// Receives a message on a topic for answers. A final answer ends its request, so that a second one
    /// changes nothing.
    ///
    /// - Returns: the answer to a pending request, with the request's id; nil if it is none.
    func receive(_ message: BusMessage) -> Reply? {
        let found = JSON.value(Reply.self, from: message.payload)
        let correlated = correlatedRequest(of: message)
        guard let id = correlated ?? found.flatMap({ requestWithoutResponseTopic(message, $0) }) else {
            return nil
        }
        guard var reply = found ?? (JSON.isObject(message.payload) ? .unreadable : nil) else { return nil }
        // An answer without an id is that to a command which was refused before it was read.
        guard reply.id == nil || reply.id == id else { return nil }
        reply.id = id
        if reply.status == .accepted { answerDeadline = nil } else { pending[id] = nil }
        return reply
    }

    /// Ends a request whose answer is no reply.
    func end(_ request: String) {
        pending[request] = nil
        answerDeadline = nil
    }

    /// The pending request that is answered on the topic of its node, which an ACL can give to the agent
    /// alone: by an agent with MQTT 3.1.1, which knows neither response topics nor correlation data, or by
    /// one that does not accept the response topic. The answer has the id of the request.
    private func requestWithoutResponseTopic(_ message: BusMessage, _ reply: Reply) -> String? {
        guard let id = reply.id, let node = pending[id],
            message.correlation?.elementsEqual(id.utf8) ?? true
        else { return nil }
        let command = topics.command(for: node, camera: address.camera)
        let places = [nil, options.answerPrefix].map { topics.reply(toCommandOn: command, below: $0) }
        return places.contains(message.topic) ? id : nil
    }

    /// Follows the agent's availability.
    ///
    /// - Returns: why the agent will not answer any more; nil if it still may.
    func agentChanged(_ availability: Availability?, at now: Instant) -> String? {
        guard let availability else { return nil }
        switch availability.state {
        case .online where boot == nil || availability.boot == boot:
            boot = availability.boot
            offlineDeadline = nil
        case .online: return "\(address.agent) has restarted."
        case .offline: offlineDeadline = offlineDeadline ?? now + Self.offlineTimeout
        case .stopped: return "\(address.agent) is stopped."
        }
        return nil
    }

    /// - Returns: why the agent will not answer any more, once its ``offlineDeadline`` has passed.
    func offlineError(at now: Instant) -> String? {
        guard let limit = offlineDeadline, limit <= now else { return nil }
        offlineDeadline = nil
        return offlineMessage
    }

    private var offlineMessage: String { "\(address.agent) is offline." }

    /// Why there is no answer in time. An agent that went offline meanwhile would not have answered later
    /// either.
    var missingAnswer: String { offlineDeadline == nil ? "No answer was received." : offlineMessage }
}

extension Reply {
    /// In place of an answer of which a field is wrong.
    fileprivate static var unreadable: Reply {
        var reply = Reply(.error, boot: 1, ts: Timestamp.text())
        reply.error = CommandError(.internal, "The agent's answer can't be read.")
        return reply
    }
}
