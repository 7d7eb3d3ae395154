internal import Bus
internal import Contract
internal import Core
internal import Settings

/// What the messages on a topic ask for, and of whom.
struct CommandRoute {
    enum Work: Equatable {
        case command(Node)
        /// A press of a remote button: the messages have words that mean it.
        case press
        /// Everything retained is published again.
        case refresh
        /// Nothing: a part of the topic is unknown. Each target says which.
        case unknown

        /// The node that gets the commands; nil: none does.
        var node: Node? {
            switch self {
            case .command(let node): node
            case .press: .capture
            case .refresh, .unknown: nil
            }
        }

        /// What the messages are, for the limits of messages that are not read.
        var purpose: Limits.Purpose {
            switch self {
            case .command(.pinch), .command(.touch): .sample
            case .command(.privacy): .privacy
            case .command, .press, .refresh, .unknown: .command
            }
        }
    }

    /// A camera, or the agent itself, that answers. It is a class, because each message is copied several
    /// times with its targets.
    final class Target {
        /// Nil: the agent, or a camera that is not there.
        var camera: Camera?
        /// What the answers call them.
        var cameraName, nodeName: String?
        /// The group whose topic it is; nil: it is that of the camera.
        var group: String?
        /// The topic of the command as that of this camera alone: answers go beside it.
        let topic: String
        /// The address of the answers to a message with QoS 0 and without a response topic, as samples are.
        let plainAddress: MQTTReplyAddress
        /// The button whose messages are presses at this camera.
        var button: RemoteButton?
        /// Why nothing can be done.
        var problem: CommandError?

        init(topic: String, _ plainAddress: MQTTReplyAddress) {
            (self.topic, self.plainAddress) = (topic, plainAddress)
        }
    }

    let work: Work
    let targets: [Target]
}

/// The routes of all topics. Those of the cameras' nodes are made with their first message, those of topics
/// that nothing serves with each message.
final class CommandRoutes {
    /// Names of cameras that an error lists.
    private static let maxNames = 8

    private let topics: Topics
    private let cameras: [String: Camera]
    private let bus: any BusPublisher
    private var known: [String: CommandRoute] = [:]

    init(_ topics: Topics, _ cameras: [String: Camera], _ bus: any BusPublisher) {
        (self.topics, self.cameras, self.bus) = (topics, cameras, bus)
        for (id, camera) in cameras.sorted(by: { $0.key < $1.key }) {
            for button in camera.settings.shutter.buttons {
                let target = target(id, Node.capture.name)
                target.button = button
                let others = known[button.topic]?.targets ?? []
                known[button.topic] = CommandRoute(work: .press, targets: others + [target])
            }
        }
    }

    /// All cameras of an agent stop together.
    var isStopping: Bool { cameras.values.first?.isStopping == true }

    private func target(
        _ camera: String, _ node: String, group: String? = nil, problem: CommandError? = nil
    ) -> CommandRoute.Target {
        let topic = "\(topics.root)/\(camera)/\(node)/set"
        let target = CommandRoute.Target(topic: topic, plainAddress(topic))
        (target.camera, target.cameraName, target.nodeName) = (cameras[camera], camera, node)
        (target.group, target.problem) = (group, problem)
        return target
    }

    private func plainAddress(_ topic: String) -> MQTTReplyAddress {
        MQTTReplyAddress(replyTopic: topics.reply(toCommandOn: topic), qos: .atMostOnce, bus: bus)
    }

    /// The route of a topic, and the account at its end if it has one; nil: it is none of commands.
    func route(of topic: String) -> (CommandRoute, account: String?)? {
        if let route = known[topic] { return (route, nil) }
        guard let parts = Topics.parse(topic, below: topics.base), case .command(let account) = parts.kind
        else { return nil }
        let end = account.map { $0.utf8.count + 1 } ?? 0
        let command = String(decoding: topic.utf8.dropLast(end), as: UTF8.self)
        if account != nil, let route = known[command] { return (route, account) }
        guard let route = newRoute(parts, command) else { return nil }
        if route.work.node != nil { known[command] = route }
        return (route, account)
    }

    /// - Parameter topic: without the client at its end.
    private func newRoute(_ parts: TopicParts, _ topic: String) -> CommandRoute? {
        switch parts.place {
        case .agent(topics.agent):
            parts.node == Topics.refresh
                ? agent(.refresh, topic, node: parts.node)
                : agent(.unknown, topic, node: nil, problem: tooShort(topic))
        case .camera(let address) where address.agent == topics.agent:
            route(to: [address.camera], parts.node)
        case .group(let group): route(to: members(of: group), parts.node, group)
        case .agent, .camera: nil
        }
    }

    private func route(to names: [String], _ node: String, _ group: String? = nil) -> CommandRoute {
        var work = node == Topics.refresh ? CommandRoute.Work.refresh : .unknown
        let areServed = !names.isEmpty && names.allSatisfy { cameras[$0] != nil }
        if areServed, let node = Node(name: node) { work = .command(node) }
        let isKnown = areServed && work != .unknown
        return CommandRoute(
            work: work,
            targets: names.map {
                target($0, node, group: group, problem: isKnown ? nil : notServed($0, node))
            })
    }

    private func agent(
        _ work: CommandRoute.Work, _ topic: String, node: String?, problem: CommandError? = nil
    ) -> CommandRoute {
        let target = CommandRoute.Target(topic: topic, plainAddress(topic))
        (target.nodeName, target.problem) = (node, problem)
        return CommandRoute(work: work, targets: [target])
    }

    private func members(of group: String) -> [String] {
        cameras.filter { $1.settings.groups.contains(group) }.keys.sorted()
    }

    private func tooShort(_ topic: String) -> CommandError {
        let example = topics.command(for: .zoom, camera: cameras.keys.min() ?? "camera")
        return CommandError(.badTopic, "\(topic): a command needs a camera and a node, as in \(example).")
    }

    /// Why a camera's node isn't served. All nodes of all cameras are known, so one of the two names is not.
    private func notServed(_ camera: String, _ node: String) -> CommandError {
        guard cameras[camera] != nil else {
            return CommandError(
                .badTopic,
                "There is no camera \"\(camera)\" here; there is \(cameras.keys.sorted().listed(atMost: Self.maxNames))."
            )
        }
        return CommandError(
            .badTopic,
            "There is no node \"\(node)\"; there is \(Node.allCases.map(\.name).joined(separator: ", "))."
        )
    }
}
