package import Base
package import Bus
internal import Contract
package import Core
package import Logging
internal import Settings
internal import ZoomModel

/// The way from MQTT to cameras, and the one admission of messages. Each message takes the same steps,
/// whether it is for a node of a camera or of a group, of a remote button, a request for everything retained,
/// or on a topic that nothing serves: is it read, who sent it, is it admitted, and then each of its targets.
package final class CommandRouter {
    /// What a message says.
    private struct Content {
        var envelope: Envelope
        /// The command for all targets.
        var command: (any CommandForm)?
        /// Of a button: the phases of a press for each target. Empty: to this one the message means nothing.
        var presses: [[any CommandForm]] = []
        /// Why it can't be done.
        var problem: CommandError?

        func phases(for target: Int) -> [any CommandForm] { target < presses.count ? presses[target] : [] }
    }

    private static let warningInterval = Duration.seconds(60)

    private let frontEnd: MQTTFrontEnd
    private let loop: EventLoop
    private let logger: Logger
    private let boot: Int
    private let clients: ClientRules
    /// The messages that were dropped or refused unread since the last warning. The first one is logged at
    /// once, further ones as one warning a minute, also when no more follow.
    private var unread = 0
    private lazy var unreadTimer = loop.timer { [weak self] in self?.warnOfUnread() }
    private var limits: Limits
    private let routes: CommandRoutes
    /// By filter.
    private let subscriptions: [String: Subscription]
    private let wildcards: [Subscription]
    private let refresh: RetainedRefresh

    /// - Parameter subscriptions: take the messages that are neither commands nor of buttons.
    package init(
        _ frontEnd: MQTTFrontEnd, cameras: [String: Camera], boot: Int, subscriptions: [Subscription],
        on loop: EventLoop, logger: Logger
    ) {
        (self.frontEnd, self.boot, self.loop, self.logger) = (frontEnd, boot, loop, logger)
        clients = ClientRules(settings: frontEnd.settings, topics: frontEnd.topics)
        refresh = RetainedRefresh(frontEnd, on: loop)
        limits = Limits(frontEnd.settings.limits, at: loop.now)
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
        let isAcknowledged = message.qos != .atMostOnce
        var verdict = limits.reads(
            bytes: message.payload.count, of: account.flatMap { clients.requiresProof(of: $0) ? $0 : nil },
            for: route.work.purpose, isAcknowledged: isAcknowledged, at: now)
        let isRead = verdict == .permitted
        if !isRead { noteUnread() }
        // Who presses a button may not expect an answer, so that one too many has none.
        if verdict == .dropped || !isRead && route.work == .press { return }
        guard
            var content = isRead ? read(message, route) : Content(envelope: Envelope(sentIn: message.payload))
        else { return }
        let sender =
            route.work == .press
            ? Sender(identity: content.envelope.client)
            : clients.sender(
                account: account, claimed: content.envelope.client, responseTopic: message.responseTopic)
        content.envelope.client = sender.identity
        let isProved = !clients.mayBeInvented(sender.identity)
        if isRead {
            verdict = admission(
                of: content, route, by: sender.identity, isProved: isProved,
                isAcknowledged: isAcknowledged && route.work != .press, at: now)
        }
        switch verdict {
        case .dropped: return
        case .refused(let error): content.problem = error
        case .permitted:
            content.problem =
                (routes.isStopping ? .stopping : nil)
                ?? problem(with: message, of: sender, route.work) ?? content.problem
        }
        for (index, target) in route.targets.enumerated() {
            let address = address(message, of: sender, to: target)
            guard let camera = target.camera, let node = route.work.node else {
                answer(message, target, content, address)
                continue
            }
            // Each camera of a group answers as to a command of its own.
            let phases = content.phases(for: index)
            if route.work == .press && phases.isEmpty { continue }
            let request = Request(
                camera: camera.id, node: node, group: target.group, envelope: content.envelope,
                command: content.command ?? phases.last, address: address,
                standing: isProved ? .proved : .unproved)
            if let error = content.problem {
                camera.context.refuse(request, error)
            } else {
                camera.handle(request, after: phases.dropLast())
            }
        }
    }

    /// - Returns: nil: the message reports something else than a press, such as the state of a battery.
    private func read(_ message: BusMessage, _ route: CommandRoute) -> Content? {
        switch route.work {
        case .command(let node):
            let command = Command(for: node, payload: message.payload)
            switch command.body {
            case .success(let body):
                return Content(envelope: command.envelope, command: body)
            case .failure(let error): return Content(envelope: command.envelope, problem: error)
            }
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

    /// What the limits of a client say of its message, which counts once, however many cameras it is for. The
    /// end of a press is never refused, and its photo was counted when it began.
    private func admission(
        of content: Content, _ route: CommandRoute, by client: ClientIdentity?, isProved: Bool,
        isAcknowledged: Bool, at now: ContinuousClock.Instant
    ) -> Limits.Verdict {
        var policy: CommandPolicy?
        var count = 0
        for (index, target) in route.targets.enumerated() {
            guard let command = content.command ?? content.phases(for: index).first else { continue }
            if route.work.node == .capture, target.camera?.releasesButton(command, client: client) == true {
                return .permitted
            }
            // All phases of a press have the same policy.
            (policy, count) = (policy ?? command.policy, count + 1)
        }
        return limits.admits(
            policy, cameras: count, by: client, isProved: isProved, isAcknowledged: isAcknowledged, at: now)
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

    /// Answers a message that is for no node of a camera, after what it asks for is done.
    private func answer(
        _ message: BusMessage, _ target: CommandRoute.Target, _ content: Content, _ address: MQTTReplyAddress
    ) {
        let error = content.problem ?? target.problem
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

    private func noteUnread() {
        unread += 1
        if !unreadTimer.isSet { warnOfUnread() }
    }

    private func warnOfUnread() {
        if unread == 0 { return }
        logger.warning(
            "the clients send more than the agent reads (limits.total_commands_per_second): messages dropped or refused since the last such warning: \(unread)"
        )
        unread = 0
        unreadTimer.set(after: Self.warningInterval)
    }

    private func address(
        _ message: BusMessage, of sender: Sender, to target: CommandRoute.Target
    ) -> MQTTReplyAddress {
        if message.qos == .atMostOnce && message.responseTopic == nil && sender.answerPrefix == nil {
            return target.plainAddress
        }
        let topics = frontEnd.topics
        return MQTTReplyAddress(
            replyTopic: sender.answerPrefix == nil
                ? target.plainAddress.replyTopic
                : topics.reply(toCommandOn: target.topic, below: sender.answerPrefix),
            qos: message.qos, responseTopic: sender.responseTopic, correlation: message.correlation,
            photoGroup: target.camera.map { topics.image(camera: $0.id) }, bus: frontEnd.bus)
    }
}
