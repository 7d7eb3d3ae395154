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

    /// A camera, or the agent itself, that answers.
    struct Target {
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
    }

    let work: Work
    let targets: [Target]
}

/// The routes of all topics. Those of the cameras' nodes and buttons are made once, those of all other topics
/// with each message.
struct CommandRoutes {
    /// Names of cameras that an error lists.
    private static let maxNames = 8

    private let topics: Topics
    private let cameras: [String: Camera]
    private let bus: any BusPublisher
    private var known: [String: CommandRoute] = [:]

    init(_ topics: Topics, _ cameras: [String: Camera], _ bus: any BusPublisher) {
        (self.topics, self.cameras, self.bus) = (topics, cameras, bus)
        for (id, camera) in cameras.sorted(by: { $0.key < $1.key }) {
            for node in Node.allCases {
                add(target(id, node.rawValue), .command(node), on: topics.command(for: node, camera: id))
                for group in camera.settings.groups {
                    add(
                        target(id, node.rawValue, group: group), .command(node),
                        on: topics.command(for: node, group: group))
                }
            }
            for button in camera.settings.shutter.buttons {
                var target = target(id, Node.capture.rawValue)
                target.button = button
                add(target, .press, on: button.topic)
            }
        }
    }

    /// All cameras of an agent stop together.
    var isStopping: Bool { cameras.values.first?.isStopping == true }

    private mutating func add(_ target: CommandRoute.Target, _ work: CommandRoute.Work, on topic: String) {
        known[topic] = CommandRoute(work: work, targets: (known[topic]?.targets ?? []) + [target])
    }

    private func target(
        _ camera: String, _ node: String, group: String? = nil, problem: CommandError? = nil
    ) -> CommandRoute.Target {
        let topic = "\(topics.root)/\(camera)/\(node)/set"
        return CommandRoute.Target(
            camera: cameras[camera], cameraName: camera, nodeName: node, group: group, topic: topic,
            plainAddress: plainAddress(topic), problem: problem)
    }

    private func plainAddress(_ topic: String) -> MQTTReplyAddress {
        MQTTReplyAddress(replyTopic: topics.reply(toCommandOn: topic), qos: .atMostOnce, bus: bus)
    }

    /// The route of a topic, and the account at its end if it has one; nil: it is none of commands.
    func route(of topic: String) -> (CommandRoute, account: String?)? {
        if let route = known[topic] { return (route, nil) }
        let (command, account) = Topics.client(atEndOf: topic) ?? (topic, nil)
        guard let route = account == nil ? nil : known[command] else {
            return otherRoute(of: command).map { ($0, account) }
        }
        return (route, account)
    }

    /// The route of a topic that is none of a camera's node.
    private func otherRoute(of topic: String) -> CommandRoute? {
        switch topics.commandTopic(of: topic) {
        case .other: return nil
        case .short:
            let target = agent(topic, node: nil, problem: tooShort(topic))
            return CommandRoute(work: .unknown, targets: [target])
        case .node(let camera, let node):
            let target = target(camera, node, problem: notServed(camera, node))
            return CommandRoute(work: .unknown, targets: [target])
        case .group(let group, let node):
            return CommandRoute(
                work: .unknown,
                targets: members(of: group).map {
                    target($0, node, group: group, problem: notServed($0, node))
                })
        case .refresh(nil):
            return CommandRoute(work: .refresh, targets: [agent(topic, node: Topics.refresh)])
        case .refresh(let camera?):
            let problem = cameras[camera] == nil ? notServed(camera, Topics.refresh) : nil
            return CommandRoute(work: .refresh, targets: [target(camera, Topics.refresh, problem: problem)])
        case .refreshGroup(let group):
            return CommandRoute(
                work: .refresh, targets: members(of: group).map { target($0, Topics.refresh, group: group) })
        }
    }

    private func agent(_ topic: String, node: String?, problem: CommandError? = nil) -> CommandRoute.Target {
        CommandRoute.Target(
            nodeName: node, topic: topic, plainAddress: plainAddress(topic), problem: problem)
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
            "There is no node \"\(node)\"; there is \(Node.allCases.map(\.rawValue).joined(separator: ", "))."
        )
    }
}
