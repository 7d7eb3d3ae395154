package import Base
package import Bus
internal import Contract
package import Core
package import Logging
package import Settings
internal import ZoomModel

/// The way from MQTT to cameras, and the one admission of messages. Each message takes the same steps,
/// whether it is for a node of a camera or of a group, of a remote button, a request for everything retained,
/// or on a topic that nothing serves: is it read, who sent it, is it admitted, and then each of its targets.
package final class CommandRouter {
    /// What a message says.
    private struct Content {
        var envelope: Envelope
        /// For all targets; nil: it is no command to a node.
        var command: Result<Command.Body, CommandError>?
        /// The phases of a press, for each target. Empty: to this one the message means nothing.
        var presses: [[Command.Body]] = []
        /// Why what is no command to a node can't be done.
        var problem: CommandError?
    }

    private let frontEnd: MQTTFrontEnd
    private let loop: EventLoop
    private let logger: Logger
    private let boot: Int
    private let clients: ClientRules
    private let unreadLog: UnreadMessagesLog
    private var limits: Limits
    private let routes: CommandRoutes
    /// Any of them: all cameras of an agent stop together.
    private let camera: Camera?
    /// By filter.
    private let subscriptions: [String: Subscription]
    private let wildcards: [Subscription]
    private let refresh: RetainedRefresh

    /// - Parameters:
    ///   - refresh: publishes everything retained again when a client asks for it.
    ///   - subscriptions: take the messages that are neither commands nor of buttons.
    package init(
        _ frontEnd: MQTTFrontEnd, cameras: [String: Camera], clients: ClientRules, limits: LimitSettings,
        boot: Int, refresh: RetainedRefresh, subscriptions: [Subscription], on loop: EventLoop,
        logger: Logger
    ) {
        (self.frontEnd, self.refresh, self.boot, self.clients) = (frontEnd, refresh, boot, clients)
        (self.loop, self.logger) = (loop, logger)
        unreadLog = UnreadMessagesLog(logger, on: loop)
        self.limits = Limits(limits, at: loop.now)
        camera = cameras.values.first
        self.subscriptions = Dictionary(subscriptions.map { ($0.filter.filter, $0) }) { first, _ in first }
        wildcards = subscriptions.filter { $0.filter.filter.contains("+") }
        routes = CommandRoutes(frontEnd.topics, cameras, frontEnd.bus)
    }

    /// Handles one message of the broker.
    package func received(_ message: BusMessage) {
        guard let (route, account) = routes.route(of: message.topic) else {
            let receivers = subscriptions[message.topic].map { [$0] } ?? wildcards
            return receivers.forEach { $0.received(message) }
        }
        // A retained message isn't a press.
        if route.work == .press && message.isRetained { return }
        let now = loop.now
        let unread = limits.reads(
            bytes: message.payload.count, of: account.flatMap { clients.requiresProof(of: $0) ? $0 : nil },
            for: route.work.purpose, isAcknowledged: message.qos != .atMostOnce, at: now)
        if unread != .permitted { unreadLog.note() }
        // Who presses a button may not expect an answer, so that one too many has none.
        if unread == .dropped || unread == .refused && route.work == .press { return }
        guard
            var content = unread == .permitted
                ? read(message, route) : Content(envelope: Envelope(sentIn: message.payload))
        else { return }
        let sender =
            route.work == .press
            ? Sender(identity: content.envelope.client)
            : clients.sender(
                account: account, claimed: content.envelope.client, responseTopic: message.responseTopic)
        content.envelope.client = sender.identity
        let isProved = !clients.mayBeInvented(sender.identity)
        let admission =
            unread == .permitted
            ? admission(of: content, route, by: sender.identity, isProved: isProved, at: now)
            : (verdict: unread, error: limits.unreadError)
        if admission.verdict == .dropped { return }
        let error =
            admission.error ?? (camera?.isStopping == true ? .stopping : nil)
            ?? problem(with: message, of: sender, route.work)
        for (index, target) in route.targets.enumerated() {
            let address = address(message, of: sender, to: target)
            guard let camera = target.camera, let node = route.work.node else {
                answer(message, target, content, error, address)
                continue
            }
            // Each camera of a group answers as to a command of its own.
            let request = Request(
                camera: camera.id, node: node, group: target.group, envelope: content.envelope,
                address: address, standing: isProved ? .proved : .unproved)
            carryOut(content, at: index, request, camera, error)
        }
    }

    // MARK: Reading

    /// - Returns: nil: the message reports something else than a press, such as the state of a battery.
    private func read(_ message: BusMessage, _ route: CommandRoute) -> Content? {
        switch route.work {
        case .command(let node):
            let command = Command(for: node, payload: message.payload)
            return Content(envelope: command.envelope, command: command.body)
        case .press:
            let presses = route.targets.map { $0.button?.commands(in: message.payload) ?? [] }
            if presses.allSatisfy(\.isEmpty) { return nil }
            // The end of the button's topic is the client's name.
            let client = ClientIdentity(claimed: message.topic.ending(64))
            return Content(envelope: Envelope(client: client), presses: presses)
        case .refresh:
            let refresh = RefreshSet(payload: message.payload)
            var content = Content(envelope: refresh.envelope, problem: refresh.error)
            if let expiry = refresh.envelope.expiry, expiry < Timestamp.now {
                content.problem =
                    refresh.error
                    ?? CommandError(.stale, "The command was valid until \(Timestamp.text(expiry)).")
            }
            return content
        case .unknown: return Content(envelope: Envelope(sentIn: message.payload))
        }
    }

    // MARK: Admission

    /// What the limits of a client say of its message, which counts once, however many cameras it is for. The
    /// end of a press is never refused, and its photo was counted when it began.
    private func admission(
        of content: Content, _ route: CommandRoute, by client: ClientIdentity?, isProved: Bool,
        at now: ContinuousClock.Instant
    ) -> (verdict: Limits.Verdict, error: CommandError?) {
        var policy: CommandPolicy?
        var count = 0
        for (index, target) in route.targets.enumerated() {
            guard
                let body = content.presses.isEmpty
                    ? try? content.command?.get() : content.presses[index].first
            else { continue }
            if target.camera?.releasesButton(body, client: client) == true { return (.permitted, nil) }
            // All phases of a press have the same policy.
            (policy, count) = (policy ?? body.policy, count + 1)
        }
        return limits.admits(policy, cameras: count, by: client, isProved: isProved, at: now)
    }

    /// Why a message can't be a command, whatever its payload is.
    private func problem(
        with message: BusMessage, of sender: Sender, _ work: CommandRoute.Work
    ) -> CommandError? {
        if let error = sender.error { return error }
        guard message.isRetained, work != .command(.desired) else { return nil }
        return CommandError(
            .stale,
            "Commands are never retained: this one would be executed again at each start. Send it without the retain flag."
        )
    }

    // MARK: Targets

    /// - Parameter error: why the message is refused, whatever it asks for.
    private func carryOut(
        _ content: Content, at index: Int, _ request: Request, _ camera: Camera, _ error: CommandError?
    ) {
        var commands: [Command.Body] = []
        var error = error
        switch content.command {
        case .success(let body): commands = [body]
        case .failure(let problem): error = error ?? problem
        case nil where content.presses.isEmpty: break
        case nil:
            commands = content.presses[index]
            if commands.isEmpty { return }
        }
        if let error { return camera.context.refuse(request, error) }
        guard let last = commands.popLast() else { return }
        camera.handle(last, after: commands, request, policy: last.policy)
    }

    /// Answers a message that is for no node of a camera, after what it asks for is done.
    ///
    /// - Parameter error: why the message is refused, whatever it asks for.
    private func answer(
        _ message: BusMessage, _ target: CommandRoute.Target, _ content: Content, _ error: CommandError?,
        _ address: MQTTReplyAddress
    ) {
        let error = error ?? content.problem ?? target.problem
        if let error {
            logger.debug("\(message.topic): \(error.code.rawValue): \(error.message)")
            if let camera = target.camera {
                return camera.context.refuse(address, error, node: target.nodeName, content.envelope)
            }
        } else {
            refresh.request(isOfMany: target.group != nil)
        }
        var reply = Reply(error == nil ? .done : .error, boot: boot, ts: Timestamp.text())
        (reply.id, reply.client) = (content.envelope.id, content.envelope.client?.name)
        (reply.camera, reply.node, reply.error) = (target.cameraName, target.nodeName, error)
        address.send(JSON.bytes(reply))
    }

    private func address(
        _ message: BusMessage, of sender: Sender, to target: CommandRoute.Target
    ) -> MQTTReplyAddress {
        if message.qos == .atMostOnce && message.responseTopic == nil && sender.answerPrefix == nil {
            return target.plainAddress
        }
        let topics = frontEnd.topics
        return MQTTReplyAddress(
            message,
            replyTopic: sender.answerPrefix == nil
                ? target.plainAddress.replyTopic
                : topics.reply(toCommandOn: target.topic, below: sender.answerPrefix),
            responseTopic: sender.responseTopic,
            photoGroup: target.camera.map { topics.image(camera: $0.id) }, bus: frontEnd.bus)
    }
}
