package import CameraCore
package import Logging
package import LoopThread
package import MQTTBus
internal import Messages
internal import Settings

/// Takes MQTT messages that aren't commands.
package protocol MessageListener: AnyObject {
    /// Handles a message. Returns false when it is for another listener.
    func received(_ message: BusMessage) -> Bool
}

/// The way from MQTT to cameras, and the one admission of messages: topics, payloads, retained messages,
/// response topics and rate limits. What it admits becomes a ``Request``.
package final class CommandRouter {
    /// A camera that gets the commands of a topic, and the topic of its answers.
    private struct Route {
        let camera: Camera
        let node: Node
        let replyTopic: String
    }

    private let frontEnd: MQTTFrontEnd
    private let cameras: [String: Camera]
    private let loop: EventLoop
    private let logger: Logger
    private let boot: Int
    private var limits: RateLimits
    private var routes: [String: [Route]] = [:]
    private let buttons: RemoteButtons
    private let listeners: [any MessageListener]

    /// - Parameter listeners: get the messages that are neither commands nor of buttons.
    package init(
        _ frontEnd: MQTTFrontEnd, cameras: [String: Camera], commandRate: Int, boot: Int,
        listeners: [any MessageListener], on loop: EventLoop, logger: Logger
    ) {
        (self.frontEnd, self.cameras, self.boot) = (frontEnd, cameras, boot)
        (self.listeners, self.loop, self.logger) = (listeners, loop, logger)
        limits = RateLimits(rate: Double(commandRate))
        buttons = RemoteButtons(cameras.values.sorted { $0.id < $1.id })
        let topics = frontEnd.topics
        for (id, camera) in cameras.sorted(by: { $0.key < $1.key }) {
            for node in Node.allCases {
                let topic = topics.command(for: node, camera: id)
                let route = Route(
                    camera: camera, node: node, replyTopic: topics.reply(toCommandOn: topic))
                routes[topic] = [route]
                for group in camera.settings.groups {
                    routes[topics.command(for: node, group: group), default: []].append(route)
                }
            }
        }
    }

    private var topics: Topics { frontEnd.topics }

    /// Handles one message of the broker.
    package func received(_ message: BusMessage) {
        guard let routes = routes[message.topic], let node = routes.first?.node else {
            return receivedElsewhere(message)
        }
        // Commands to `desired` match two subscriptions and arrive twice (MQTT 5, 3.3.4); only the copy from
        // `desiredFilter` is handled.
        if node == .desired && message.isFromPlainFilter && message.topic.hasPrefix(topics.root) { return }
        let command = Command(for: node, payload: message.payload)
        let content = command.body.map { (body: $0, policy: $0.policy) }
        let verdict = verdict(on: content, of: command.envelope.client, routes)
        if verdict == .dropped { return }
        let problem = problem(with: message, mayBeRetained: node == .desired)
        for route in routes {
            // Each camera of a group answers as to a command of its own.
            let request = request(message, route, command.envelope)
            if verdict == .refused {
                route.camera.context.refuse(request, tooMany(command.envelope.client))
            } else if route.camera.isStopping {
                route.camera.context.refuse(request, .stopping)
            } else if let problem {
                route.camera.context.refuse(request, problem)
            } else {
                switch content {
                case .success(let (body, policy)): route.camera.handle(body, request, policy: policy)
                case .failure(let error): route.camera.context.refuse(request, error)
                }
            }
        }
    }

    private func request(_ message: BusMessage, _ route: Route, _ envelope: Envelope) -> Request {
        Request(
            camera: route.camera.id, node: route.node, envelope: envelope,
            address: address(message, replyTopic: route.replyTopic))
    }

    private func address(_ message: BusMessage, replyTopic: String) -> MQTTReplyAddress {
        MQTTReplyAddress(
            message, replyTopic: replyTopic,
            responseTopic: message.responseTopic.flatMap { topics.isResponseTopic($0) ? $0 : nil },
            bus: frontEnd.bus)
    }

    // MARK: Admission

    private func verdict(
        on content: Result<(body: Command.Body, policy: CommandPolicy), CommandError>, of client: String?,
        _ routes: [Route]
    ) -> RateLimits.Verdict {
        if case .success(let (body, policy)) = content {
            guard policy.isRateLimited else { return .permitted }
            if routes.contains(where: { $0.camera.releasesButton(body, client: client) }) {
                return .permitted
            }
        }
        return limits.verdict(on: client, at: loop.now)
    }

    private func tooMany(_ client: String?) -> CommandError {
        let sender = client ?? "Clients without a name"
        return CommandError(
            .rateLimited,
            "\(sender) sent more than \(Int(limits.rate)) commands in a second; those beyond are not carried out, and this is answered once a second."
        )
    }

    /// Why a message can't be a command, whatever its payload is.
    private func problem(with message: BusMessage, mayBeRetained: Bool = false) -> CommandError? {
        if let topic = message.responseTopic, !topics.isResponseTopic(topic) {
            return CommandError(
                .badTopic,
                "The response topic \(topic) is among the agent's own topics; there, one has to end in /reply."
            )
        }
        guard message.isRetained, !mayBeRetained else { return nil }
        return CommandError(
            .stale,
            "Commands are never retained: this one would be carried out again at each start. Send it without the retain flag."
        )
    }

    /// All cameras of an agent stop together.
    private var isStopping: Bool { cameras.values.contains(where: \.isStopping) }

    // MARK: Other topics

    private func receivedElsewhere(_ message: BusMessage) {
        if buttons.isButton(message.topic) { return pressed(message) }
        if listeners.contains(where: { $0.received(message) }) { return }
        let envelope = Envelope(sentIn: message.payload)
        let error: CommandError?
        switch limits.verdict(on: envelope.client, at: loop.now) {
        case .permitted: error = isStopping ? .stopping : problem(with: message)
        case .refused: error = tooMany(envelope.client)
        case .dropped: return
        }
        switch topics.commandTopic(of: message.topic) {
        case .other: return
        case .group(let group, let node):
            for (id, camera) in cameras.sorted(by: { $0.key < $1.key })
            where camera.settings.groups.contains(group) {
                refuse(message, error ?? notServed(id, node), camera: id, node, envelope)
            }
        case .short: refuse(message, error ?? tooShort(message.topic), camera: nil, nil, envelope)
        case .node(let camera, let node):
            refuse(message, error ?? notServed(camera, node), camera: camera, node, envelope)
        }
    }

    /// Answers a message that is for no node of a camera.
    private func refuse(
        _ message: BusMessage, _ error: CommandError, camera: String?, _ node: String?, _ envelope: Envelope
    ) {
        logger.debug("\(message.topic): \(error.code.rawValue): \(error.message)")
        let topic =
            camera.flatMap { id in node.map { "\(topics.root)/\(id)/\($0)/set" } } ?? message.topic
        let address = address(message, replyTopic: topics.reply(toCommandOn: topic))
        if let camera, let served = cameras[camera] {
            return served.context.refuse(address, error, node: node, envelope)
        }
        var reply = Reply(.error, boot: boot, ts: Timestamp.text())
        (reply.id, reply.client) = (envelope.id, envelope.client)
        (reply.camera, reply.node, reply.error) = (camera, node, error)
        address.send(JSON.bytes(reply))
    }

    private func tooShort(_ topic: String) -> CommandError {
        let example = topics.command(for: .zoom, camera: cameras.keys.min() ?? "camera")
        return CommandError(.badTopic, "\(topic): a command needs a camera and a node, as in \(example).")
    }

    /// Why a camera's node isn't served. All nodes of all cameras have routes, so one of the two names is
    /// unknown.
    private func notServed(_ camera: String, _ node: String) -> CommandError {
        guard cameras[camera] != nil else {
            return CommandError(
                .badTopic,
                "There is no camera \"\(camera)\" here; there is \(cameras.keys.sorted().joined(separator: ", "))."
            )
        }
        return CommandError(
            .badTopic,
            "There is no node \"\(node)\"; there is \(Node.allCases.map(\.rawValue).joined(separator: ", "))."
        )
    }

    // MARK: Remote buttons

    private func pressed(_ message: BusMessage) {
        // A retained message isn't a press.
        if message.isRetained { return }
        for press in buttons.presses(of: message) {
            let topic = topics.command(for: .capture, camera: press.camera.id)
            let address = MQTTReplyAddress(
                message, replyTopic: topics.reply(toCommandOn: topic), responseTopic: nil,
                bus: frontEnd.bus)
            perform(press, address)
        }
    }

    /// Carries out the phases of a press. One message gets the answers of its last phase only, or one
    /// refusal.
    private func perform(_ press: RemotePress, _ address: MQTTReplyAddress) {
        for (index, command) in press.commands.enumerated() {
            let body = Command.Body.press(command)
            let isLast = index == press.commands.count - 1
            let request = Request(
                camera: press.camera.id, node: .capture, envelope: press.envelope, address: address)
            if let error = press.camera.admissionError {
                return press.camera.context.refuse(request, error)
            }
            let client = press.envelope.client
            let isEnd = press.camera.releasesButton(body, client: client)
            switch isEnd ? .permitted : limits.verdict(on: client, at: loop.now) {
            case .permitted:
                press.camera.handle(body, isLast ? request : request.unanswered, policy: body.policy)
            case .refused: return press.camera.context.refuse(request, tooMany(client))
            case .dropped: return
            }
        }
    }
}

extension Request {
    /// The same request without answers: another one of the same message is answered.
    fileprivate var unanswered: Request {
        Request(camera: camera, node: node, envelope: envelope, address: DiscardingReplyAddress())
    }
}

/// Discards answers.
private final class DiscardingReplyAddress: ReplyAddress {
    let acceptsPhotos = false
    func send(_ reply: [UInt8]) {}
    func send(photo: [UInt8], _ fields: PhotoFields, id: String?) {}
}
