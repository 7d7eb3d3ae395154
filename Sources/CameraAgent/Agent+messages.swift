internal import Logging
internal import LoopThread
internal import MQTTBus
internal import Messages

/// From a message to the camera that it is for, and from there back to who asked.
extension Agent {
    func received(_ message: BusMessage) {
        guard let routes = routes[message.topic], let node = routes.first?.node else {
            return receivedElsewhere(message)
        }
        // The same comes by the filter that is there for it.
        if node == .desired && message.isFromPlainFilter && message.topic.hasPrefix(topics.root) { return }
        let command = Command(for: node, payload: message.payload)
        let problem = problem(with: message, mayBeRetained: node == .desired)
        let isLimited = command.isLimited && !routes.contains { $0.camera.endsPress(command) }
        let verdict =
            isLimited ? limits.verdict(on: command.envelope.client, at: loop.now) : .permitted
        if verdict == .dropped { return }
        for route in routes {
            // A group's command is answered by each camera as its own would be.
            var asker = Asker(message, topic: topics.command(for: node, camera: route.camera.id))
            (asker.camera, asker.node) = (route.camera.id, node.rawValue)
            asker.envelope = command.envelope
            if isStopping {
                refuse(Self.stopping, asker)
            } else if verdict == .refused {
                refuse(tooMany(command.envelope.client), asker)
            } else if let problem {
                refuse(problem, asker)
            } else {
                switch command.body {
                case .success(let body): route.camera.handle(body, asker)
                case .failure(let error): refuse(error, asker)
                }
            }
        }
    }

    /// A message on a topic that no node is served at: what is wrong with it decides what its sender is told.
    private func receivedElsewhere(_ message: BusMessage) {
        if let buttons = bindings[message.topic] { return pressed(buttons, message) }
        if link.received(message) || leftovers.received(message) { return }
        var asker = Asker(message, topic: message.topic)
        asker.envelope = Envelope(sentIn: message.payload)
        switch limits.verdict(on: asker.envelope.client, at: loop.now) {
        case .permitted: break
        case .dropped: return
        case .refused: return refuse(tooMany(asker.envelope.client), asker)
        }
        switch topics.addressee(of: message.topic) {
        case .nobody: return
        case .group(let group, let node):
            for camera in cameras.values where camera.settings.groups.contains(group) {
                var member = Asker(message, topic: "\(topics.root)/\(camera.id)/\(node)/set")
                (member.camera, member.node, member.envelope) = (camera.id, node, asker.envelope)
                refuse(problem(with: message) ?? notServed(camera.id, node, message.payload), member)
            }
        case .short: refuse(problem(with: message) ?? tooShort(message.topic), asker)
        case .node(let camera, let node):
            asker.camera = camera
            asker.node = node
            refuse(problem(with: message) ?? notServed(camera, node, message.payload), asker)
        }
    }

    static let stopping = CommandError(.unavailable, "The agent is stopping.")

    func tooMany(_ client: String?) -> CommandError {
        let who = client ?? "Those who give no client name"
        return CommandError(
            .rateLimited,
            "\(who) sent more than \(Int(limits.rate)) commands in a second; those beyond are not carried out, and this is said once a second."
        )
    }

    /// Why a message can't be a command, whatever it says.
    private func problem(with message: BusMessage, mayBeRetained: Bool = false) -> CommandError? {
        if let topic = message.responseTopic, !topics.isResponseTopic(topic) {
            return CommandError(
                .badTopic,
                "The response topic \(topic) is among the agent's own; there, one has to end in /reply.")
        }
        guard message.isRetained, !mayBeRetained else { return nil }
        return CommandError(
            .stale,
            "Commands are never retained: this one would be carried out again at each start. Send it without."
        )
    }

    private func tooShort(_ topic: String) -> CommandError {
        let example = topics.command(for: .zoom, camera: cameras.keys.min() ?? "camera")
        return CommandError(.badTopic, "\(topic): a command needs a camera and a node, as in \(example).")
    }

    /// Why a camera's node isn't served.
    private func notServed(_ camera: String, _ node: String, _ payload: [UInt8]) -> CommandError {
        guard cameras[camera] != nil else {
            return CommandError(
                .badTopic,
                "There is no camera \"\(camera)\" here; there is \(cameras.keys.sorted().joined(separator: ", "))."
            )
        }
        guard let known = Node(rawValue: node) else {
            return CommandError(
                .badTopic,
                "There is no node \"\(node)\"; there is \(Node.allCases.map(\.rawValue).joined(separator: ", "))."
            )
        }
        switch Command(for: known, payload: payload).body {
        case .failure(let error): return error
        case .success: return CommandError(.internal, "\(node) has no route; this is a defect.")
        }
    }

    /// Answers that a command isn't carried out, and lets the others know.
    func refuse(_ error: CommandError, _ asker: Asker, state: ZoomState? = nil) {
        logger.debug("refused: \(asker.topic): \(error.code.rawValue): \(error.message)")
        if let id = asker.camera, error.code != .duplicate { cameras[id]?.forget(asker.envelope) }
        var reply = asker.reply(.error, boot: boot)
        reply.error = error
        reply.state = state
        reply.rev = asker.camera.flatMap { cameras[$0] }?.rev
        answer(reply, asker)
        tellRefusal(error, asker)
    }

    /// Lets the others know that something wasn't done.
    func tellRefusal(_ error: CommandError, _ asker: Asker) {
        // Beside a flood of mistakes the others' answers are what matters.
        guard let camera = asker.camera, bus.hasCapacity || !bus.isConnected else { return }
        cameras[camera]?.announce(.refused, by: asker.envelope.client, asker.envelope.id) { event in
            (event.node, event.error) = (asker.node, error)
        }
    }

    /// Sends an answer to where the asker wants it.
    func answer(_ reply: Reply, _ asker: Asker) {
        // A response topic that isn't to be used is refused, and the refusal goes beside the command.
        guard let topic = asker.responseTopic, topics.isResponseTopic(topic) else {
            return bus.publishQueued(
                topics.reply(toCommandOn: asker.topic), JSON.bytes(reply), qos: asker.qos)
        }
        bus.publishQueued(
            topic, JSON.bytes(reply), qos: asker.qos,
            BusProperties(contentType: "application/json", correlation: asker.correlation))
    }
}

extension Camera {
    /// Whether a command lets a button go that is held down.
    fileprivate func endsPress(_ command: Command) -> Bool {
        guard case .success(.press(let press)) = command.body else { return false }
        return shutter.isEnd(press, by: command.envelope.client)
    }
}

extension Command {
    /// Whether it counts against its client's share. Samples are levels, of which the newest counts, and what ends something is never kept waiting.
    fileprivate var isLimited: Bool {
        guard case .success(let body) = body else { return true }
        return switch body {
        case .pinch, .touch: false
        case .zoom(let command): command.action != .stop
        case .recording(let command): command != .off
        case .preview(let command): command != .stop
        case .viewport, .capture, .press, .session, .controls, .presets, .lease, .desired: true
        }
    }
}
