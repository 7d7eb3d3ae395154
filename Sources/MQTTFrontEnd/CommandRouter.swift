package import CameraCore
internal import Clients
package import Logging
package import LoopThread
package import MQTTBus
internal import Messages
package import Settings

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
        /// The group whose topic it is; nil: it is that of the camera.
        var group: String?
        let replyTopic: String
        /// The address of the answers to a message with QoS 0 and without a response topic, as samples are.
        let qos0Address: MQTTReplyAddress
    }

    /// Names of cameras that an error lists.
    private static let maxNames = 8

    private let frontEnd: MQTTFrontEnd
    private let cameras: [String: Camera]
    private let loop: EventLoop
    private let logger: Logger
    private let boot: Int
    private let clients: ClientRules
    private var limits: CommandLimits
    private var routes: [String: [Route]] = [:]
    private let buttons: RemoteButtons
    private let listeners: [any MessageListener]
    private let refresh: RetainedRefresh

    /// - Parameters:
    ///   - refresh: publishes everything retained again when a client asks for it.
    ///   - listeners: get the messages that are neither commands nor of buttons.
    package init(
        _ frontEnd: MQTTFrontEnd, cameras: [String: Camera], clients: ClientRules, limits: LimitSettings,
        boot: Int, refresh: RetainedRefresh, listeners: [any MessageListener], on loop: EventLoop,
        logger: Logger
    ) {
        self.refresh = refresh
        (self.frontEnd, self.cameras, self.boot) = (frontEnd, cameras, boot)
        self.clients = clients
        (self.listeners, self.loop, self.logger) = (listeners, loop, logger)
        self.limits = CommandLimits(limits, clients, logger, on: loop)
        buttons = RemoteButtons(cameras.values.sorted { $0.id < $1.id })
        let topics = frontEnd.topics
        for (id, camera) in cameras.sorted(by: { $0.key < $1.key }) {
            for node in Node.allCases {
                let topic = topics.command(for: node, camera: id)
                let replyTopic = topics.reply(toCommandOn: topic)
                var route = Route(
                    camera: camera, node: node, replyTopic: replyTopic,
                    qos0Address: MQTTReplyAddress(
                        replyTopic: replyTopic, qos: .atMostOnce, bus: frontEnd.bus))
                routes[topic] = [route]
                for group in camera.settings.groups {
                    route.group = group
                    routes[topics.command(for: node, group: group), default: []].append(route)
                }
            }
        }
    }

    private var topics: Topics { frontEnd.topics }

    /// Handles one message of the broker.
    package func received(_ message: BusMessage) {
        guard let (routes, account) = routes(of: message.topic), let node = routes.first?.node else {
            return receivedElsewhere(message)
        }
        // Commands to `desired` match two subscriptions and arrive twice (MQTT 5, 3.3.4); only the copy from
        // `desiredFilters` is handled.
        if node == .desired && message.isFromFilterWithoutRetained { return }
        let now = loop.now
        switch limits.unreadVerdict(on: message, of: account, for: node.purpose, at: now) {
        case .permitted: break
        case .refused: return refuseUnread(message, of: account, routes)
        case .dropped: return
        }
        var command = Command(for: node, payload: message.payload)
        let sender = prove(&command.envelope, of: message, account)
        let standing = limits.standing(of: sender.identity, at: now)
        let admission = limits.admission(
            of: command.body, by: sender.identity, standing, cameras: routes.count, at: now
        ) { body in
            routes.contains { $0.camera.releasesButton(body, client: sender.identity) }
        }
        if case .dropped = admission { return }
        let problem = problem(with: message, of: sender, mayBeRetained: node == .desired)
        for route in routes {
            // Each camera of a group answers as to a command of its own.
            let request = request(message, route, command.envelope, sender, standing)
            admit(command.body, request, to: route.camera, admission, problem)
        }
    }

    /// Puts the sender's identity in place of the claimed one.
    ///
    /// - Parameter account: at the end of the topic.
    /// - Returns: the sender of the message.
    private func prove(_ envelope: inout Envelope, of message: BusMessage, _ account: String?) -> Sender {
        let sender = clients.sender(
            account: account, claimed: envelope.client, responseTopic: message.responseTopic)
        envelope.client = sender.identity
        return sender
    }

    /// The routes of a topic, and the account at its end if it has one.
    private func routes(of topic: String) -> ([Route], account: String?)? {
        if let routes = routes[topic] { return (routes, nil) }
        guard let (command, account) = Topics.client(atEndOf: topic), let routes = routes[command] else {
            return nil
        }
        return (routes, account)
    }

    private func request(
        _ message: BusMessage, _ route: Route, _ envelope: Envelope, _ sender: Sender,
        _ standing: ClientStanding? = nil
    ) -> Request {
        Request(
            camera: route.camera.id, node: route.node, group: route.group, envelope: envelope,
            address: message.qos == .atMostOnce && message.responseTopic == nil && sender.answerPrefix == nil
                ? route.qos0Address : address(message, of: sender, to: route), standing: standing)
    }

    private func address(_ message: BusMessage, of sender: Sender, to route: Route) -> MQTTReplyAddress {
        let replyTopic =
            sender.answerPrefix == nil
            ? route.replyTopic
            : topics.reply(
                toCommandOn: topics.command(for: route.node, camera: route.camera.id),
                below: sender.answerPrefix)
        return address(message, of: sender, replyTopic: replyTopic, camera: route.camera.id)
    }

    /// - Parameter camera: that the message is for, whose photos may be answers; nil: none.
    private func address(
        _ message: BusMessage, of sender: Sender, replyTopic: String, camera: String? = nil
    ) -> MQTTReplyAddress {
        MQTTReplyAddress(
            message, replyTopic: replyTopic, responseTopic: sender.responseTopic,
            photoGroup: camera.map(topics.image(camera:)), bus: frontEnd.bus)
    }

    // MARK: Admission

    /// The order of the checks on each message for a camera: rate limit, stopping, what the transport
    /// forbids, payload; the camera makes the others.
    ///
    /// - Parameter earlier: the commands of the same message before this one.
    private func admit(
        _ content: Result<Command.Body, CommandError>, after earlier: [Command.Body] = [], _ request: Request,
        to camera: Camera,
        _ admission: CommandLimits.Admission, _ problem: CommandError?
    ) {
        if let error = refusal(admission, isStopping: camera.isStopping, problem) {
            return camera.context.refuse(request, error)
        }
        switch content {
        case .success(let body): camera.handle(body, after: earlier, request, policy: body.policy)
        case .failure(let error): camera.context.refuse(request, error)
        }
    }

    /// Why a message is refused, whatever it asks for: the first checks of each message, in their order.
    private func refusal(
        _ admission: CommandLimits.Admission, isStopping: Bool, _ problem: CommandError?
    ) -> CommandError? {
        if case .refused(let error) = admission { return error }
        return isStopping ? .stopping : problem
    }

    /// Answers a message that is one of too many. Only its sender is read.
    private func refuseUnread(_ message: BusMessage, of account: String?, _ routes: [Route]) {
        var envelope = Envelope(sentIn: message.payload)
        let sender = prove(&envelope, of: message, account)
        for route in routes {
            route.camera.context.refuse(request(message, route, envelope, sender), limits.totalLimitError)
        }
    }

    /// Why a message can't be a command, whatever its payload is.
    private func problem(
        with message: BusMessage, of sender: Sender, mayBeRetained: Bool = false
    ) -> CommandError? {
        if let error = sender.error { return error }
        guard message.isRetained, !mayBeRetained else { return nil }
        return CommandError(
            .stale,
            "Commands are never retained: this one would be executed again at each start. Send it without the retain flag."
        )
    }

    /// All cameras of an agent stop together.
    private var isStopping: Bool { cameras.values.contains(where: \.isStopping) }

    // MARK: Other topics

    private func receivedElsewhere(_ message: BusMessage) {
        if buttons.isButton(message.topic) { return pressed(message) }
        if listeners.contains(where: { $0.received(message) }) { return }
        let now = loop.now
        let (command, account) = Topics.client(atEndOf: message.topic) ?? (message.topic, nil)
        let unread = limits.unreadVerdict(on: message, of: account, for: .command, at: now)
        if unread == .dropped { return }
        let target = topics.commandTopic(of: command)
        // Only what is read can be refused for what it contains.
        let refresh = target.isRefresh && unread == .permitted ? RefreshSet(payload: message.payload) : nil
        var envelope = refresh?.envelope ?? Envelope(sentIn: message.payload)
        let sender = prove(&envelope, of: message, account)
        let admission =
            unread == .permitted
            ? limits.admission(of: sender.identity, at: now) : .refused(limits.totalLimitError)
        if case .dropped = admission { return }
        let error =
            refusal(admission, isStopping: isStopping, problem(with: message, of: sender))
            ?? refresh.flatMap(problem)
        let reject = { (error: CommandError, camera: String?, node: String?) in
            self.refuse(message, on: command, error, camera: camera, node, envelope, sender)
        }
        let accept = { (camera: String?, isOfMany: Bool) in
            self.refresh.request(isOfMany: isOfMany)
            self.answer(message, on: command, .done, camera: camera, Topics.refresh, envelope, sender)
        }
        switch target {
        case .other: return
        case .refresh(nil):
            if let error { reject(error, nil, Topics.refresh) } else { accept(nil, false) }
        case .refresh(let camera?):
            let error = error ?? (cameras[camera] == nil ? notServed(camera, Topics.refresh) : nil)
            if let error {
                reject(error, camera, Topics.refresh)
            } else {
                accept(camera, false)
            }
        case .refreshGroup(let group):
            for id in cameras.filter({ $1.settings.groups.contains(group) }).keys.sorted() {
                if let error { reject(error, id, Topics.refresh) } else { accept(id, true) }
            }
        case .group(let group, let node):
            for (id, camera) in cameras.sorted(by: { $0.key < $1.key })
            where camera.settings.groups.contains(group) {
                reject(error ?? notServed(id, node), id, node)
            }
        case .short: reject(error ?? tooShort(command), nil, nil)
        case .node(let camera, let node): reject(error ?? notServed(camera, node), camera, node)
        }
    }

    /// Why a request for all retained messages isn't carried out.
    private func problem(with refresh: RefreshSet) -> CommandError? {
        if let error = refresh.error { return error }
        guard let expiry = refresh.envelope.expiry, expiry < Timestamp.now else { return nil }
        return CommandError(.stale, "The command was valid until \(Timestamp.text(expiry)).")
    }

    /// Refuses a message that is for no node of a camera.
    ///
    /// - Parameter topic: of the message, without the client at its end.
    private func refuse(
        _ message: BusMessage, on topic: String, _ error: CommandError, camera: String?, _ node: String?,
        _ envelope: Envelope, _ sender: Sender
    ) {
        logger.debug("\(message.topic): \(error.code.rawValue): \(error.message)")
        if let camera, let served = cameras[camera] {
            let address = self.address(message, on: topic, camera: camera, node, sender)
            return served.context.refuse(address, error, node: node, envelope)
        }
        answer(message, on: topic, .error, error, camera: camera, node, envelope, sender)
    }

    /// Answers a message that is for no node of a camera.
    private func answer(
        _ message: BusMessage, on topic: String, _ status: Reply.Status, _ error: CommandError? = nil,
        camera: String?, _ node: String?, _ envelope: Envelope, _ sender: Sender
    ) {
        var reply = Reply(status, boot: boot, ts: Timestamp.text())
        (reply.id, reply.client) = (envelope.id, envelope.client?.name)
        (reply.camera, reply.node, reply.error) = (camera, node, error)
        address(message, on: topic, camera: camera, node, sender).send(JSON.bytes(reply))
    }

    private func address(
        _ message: BusMessage, on topic: String, camera: String?, _ node: String?, _ sender: Sender
    ) -> MQTTReplyAddress {
        let topic = camera.flatMap { id in node.map { "\(topics.root)/\(id)/\($0)/set" } } ?? topic
        return address(
            message, of: sender, replyTopic: topics.reply(toCommandOn: topic, below: sender.answerPrefix))
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
                "There is no camera \"\(camera)\" here; there is \(cameras.keys.sorted().listed(atMost: Self.maxNames))."
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
        // Its sender may not expect an answer, so that there is none.
        let now = loop.now
        guard limits.unreadVerdict(on: message, of: nil, for: .command, at: now) == .permitted else {
            return
        }
        let presses = buttons.presses(of: message)
        // All buttons of a topic have the same client, and all phases the same policy.
        guard let first = presses.first, let phase = first.commands.first else { return }
        let client = first.envelope.client
        let standing = limits.standing(of: client, at: now)
        let admission = limits.admission(
            of: .success(.press(phase)), by: client, standing, cameras: presses.count, at: now
        ) { _ in
            presses.contains { press in
                press.commands.first.map { press.camera.releasesButton(.press($0), client: client) } ?? false
            }
        }
        if case .dropped = admission { return }
        for press in presses {
            guard let last = press.commands.last else { continue }
            let topic = topics.command(for: .capture, camera: press.camera.id)
            let address = MQTTReplyAddress(
                message, replyTopic: topics.reply(toCommandOn: topic), responseTopic: nil,
                photoGroup: nil, bus: frontEnd.bus)
            let request = Request(
                camera: press.camera.id, node: .capture, envelope: press.envelope, address: address,
                standing: standing)
            admit(
                .success(.press(last)), after: press.commands.dropLast().map { .press($0) }, request,
                to: press.camera, admission, nil)
        }
    }
}

extension Topics.CommandTopic {
    fileprivate var isRefresh: Bool {
        switch self {
        case .refresh, .refreshGroup: true
        case .node, .group, .short, .other: false
        }
    }
}

extension Node {
    /// What its commands are, for the limits of all clients together.
    fileprivate var purpose: TotalLimits.Purpose {
        switch self {
        case .pinch, .touch: .sample
        case .privacy: .privacy
        default: .command
        }
    }
}
