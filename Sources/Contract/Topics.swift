internal import Settings

/// The topics of one agent: the one place where they are put together and taken apart.
package struct Topics: Sendable, Equatable {
    package let base: String
    package let agent: String

    package init(base: String, agent: String) {
        self.base = base
        self.agent = agent
    }

    /// The topics of another agent, or of this one under an earlier name.
    ///
    /// - Parameter root: the prefix of all topics of the agent. Nil is returned if it can't be one.
    package init?(root: String) {
        guard let slash = root.lastIndex(of: "/"), slash > root.startIndex,
            !root.contains(where: { "+#\0".contains($0) }), Self.isName(root[root.index(after: slash)...])
        else { return nil }
        self.init(base: String(root[..<slash]), agent: String(root[root.index(after: slash)...]))
    }

    /// Names of agents and cameras: 1 to 64 of `[a-z0-9_-]`.
    package static func isName(_ text: String) -> Bool { isName(text[...]) }

    package static func isName(_ text: Substring) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(\.isPartOfName)
    }

    /// The prefix of all topics of the agent.
    package var root: String { "\(base)/\(agent)" }

    package var agentAvailability: String { "\(root)/availability" }
    package var agentInfo: String { "\(root)/info" }

    /// The configuration that a fleet manager publishes for all agents.
    package var fleetConfiguration: String { "\(base)/fleet/config" }

    package func state(_ state: ReadOnlyState, of camera: String) -> String {
        "\(root)/\(camera)/\(state.rawValue)"
    }
    package func availability(of camera: String) -> String { state(.availability, of: camera) }
    func info(of camera: String) -> String { state(.info, of: camera) }
    package func state(of node: Node, camera: String) -> String { "\(root)/\(camera)/\(node.name)" }
    /// - Parameter client: the end of the topic, which proves the sender; nil: it has none.
    package func command(for node: Node, camera: String, client: String? = nil) -> String {
        "\(root)/\(camera)/\(node.name)/set" + (client.map { "/\($0)" } ?? "")
    }
    package func zoomLive(camera: String) -> String { "\(root)/\(camera)/zoom/live" }
    package func previewLive(camera: String) -> String { "\(root)/\(camera)/preview/live" }
    package func image(camera: String) -> String { "\(root)/\(camera)/image" }
    package func event(camera: String) -> String { "\(root)/\(camera)/event" }

    /// The retained topics of the agent itself.
    package var retained: [String] { [agentAvailability, agentInfo] }

    /// The retained topics of a camera.
    package func retained(ofCamera camera: String) -> [String] {
        [image(camera: camera)] + ReadOnlyState.allCases.map { state($0, of: camera) }
            + Node.allCases.map { state(of: $0, camera: camera) }
    }

    /// The topic of the answer to a command on this topic, if the command has no response topic.
    package func reply(toCommandOn topic: String) -> String {
        String(topic.dropLast("set".count)) + "reply"
    }

    /// The topic of the answers to a command that has no response topic.
    ///
    /// - Parameters:
    ///   - topic: of the command, below ``root``, without the client at its end.
    ///   - prefix: of the topics for the answers to this client; nil: they go to the `reply` topic beside the
    ///     command's.
    package func reply(toCommandOn topic: String, below prefix: String?) -> String {
        guard let prefix else { return reply(toCommandOn: topic) }
        let levels = topic.utf8.dropFirst(root.utf8.count).dropLast("/set".utf8.count)
        return "\(prefix)\(agent)\(String(decoding: levels, as: UTF8.self))"
    }

    /// The prefix of the topics for the answers to one client.
    package static func answerPrefix(of client: String) -> String { "\(ClientSettings.answers)\(client)/" }

    /// The level of the groups, in the place of an agent. No agent has this name.
    package static let groups = "groups"

    /// The last level but one of the topics that ask for all retained messages.
    package static let refresh = "refresh"

    /// The topic that asks for the retained messages of an agent.
    ///
    /// - Parameters:
    ///   - camera: only those of this camera, and those of the agent itself; nil: all.
    ///   - client: the end of the topic, which proves the sender; nil: it has none.
    package func refresh(camera: String? = nil, client: String? = nil) -> String {
        ([root, camera, Self.refresh, "set", client].compactMap { $0 }).joined(separator: "/")
    }

    /// The filters for commands to nodes, and for those whose topic is a level short, so that they are
    /// answered too. Each with and without the client at its end.
    package var commandFilters: [String] {
        ["\(root)/+/+/set", "\(root)/+/set"].flatMap { [$0, "\($0)/+"] }
    }

    /// Whether a topic is one of the agent's own that end in `/reply`.
    package func isOwnReply(_ topic: String) -> Bool {
        guard Self.isTopicName(topic), let below = Self.rest(of: topic[...].utf8, below: base) else {
            return false
        }
        return Self.rest(of: below, below: agent) != nil && topic.utf8.suffix(6).elementsEqual("/reply".utf8)
    }

    /// Whether a topic is below one of these prefixes, and no agent takes an answer there for a command or a
    /// state.
    ///
    /// - Parameter prefixes: with a slash at their ends.
    package func isAnswerTopic(_ topic: String, below prefixes: [String]) -> Bool {
        Self.isTopicName(topic) && Self.rest(of: topic[...].utf8, below: base) == nil
            && prefixes.contains {
                topic.utf8.starts(with: $0.utf8) && topic.utf8.count > $0.utf8.count
            }
    }

    /// What follows a prefix and a slash; nil: something else does. By bytes: in a string an accent after a
    /// slash hides the slash.
    private static func rest(of topic: Substring.UTF8View, below prefix: String) -> Substring.UTF8View? {
        guard topic.starts(with: prefix.utf8) else { return nil }
        let rest = topic.dropFirst(prefix.utf8.count)
        return rest.first == UInt8(ascii: "/") ? rest.dropFirst() : nil
    }

    /// Whether a client may publish to a topic (MQTT 5, section 4.7). Those that begin with `$` are the
    /// broker's.
    private static func isTopicName(_ topic: String) -> Bool {
        guard let first = topic.utf8.first, first != UInt8(ascii: "$") else { return false }
        return !topic.utf8.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") || $0 == 0 }
    }

    /// The filters for commands to a group of cameras.
    package func commandFilters(forGroup group: String) -> [String] {
        let filter = "\(base)/groups/\(group)/+/set"
        return [filter, "\(filter)/+"]
    }

    /// The filters for `desired` of a group of cameras, with its retained messages.
    package func desiredFilters(forGroup group: String) -> [String] {
        let filter = command(for: .desired, group: group)
        return [filter, "\(filter)/+"]
    }

    /// - Parameter client: the end of the topic, which proves the sender; nil: it has none.
    package func command(for node: Node, group: String, client: String? = nil) -> String {
        "\(base)/groups/\(group)/\(node.name)/set" + (client.map { "/\($0)" } ?? "")
    }

    /// What a topic is about, as those see it who follow several agents.
    package enum Subject: Hashable, Sendable {
        case agent(String, node: String)
        /// A camera, or a group, as one of the agent ``groups``. The node has several levels for what is not
        /// a state, such as `zoom/live`.
        case camera(CameraAddress, node: String)
    }

    /// The agent or the camera that a topic belongs to; nil: neither, or one whose name can't be one.
    ///
    /// - Parameter base: the first levels of all topics.
    package static func subject(of topic: String, below base: String) -> Subject? {
        guard let levels = levels(of: topic, below: base), levels.count >= 2, isName(levels[0]) else {
            return nil
        }
        if levels.count == 2 { return .agent(levels[0], node: levels[1]) }
        guard isName(levels[1]) else { return nil }
        let address = CameraAddress(agent: levels[0], camera: levels[1])
        return .camera(address, node: levels[2...].joined(separator: "/"))
    }

    /// The camera or group and the node that the topic of a command names.
    package enum CommandTopic: Sendable, Equatable {
        case node(camera: String, node: String)
        /// A node of every camera that lists the group.
        case group(String, node: String)
        /// The retained messages of a camera, or of the whole agent.
        case refresh(camera: String?)
        /// The retained messages of every camera that lists the group.
        case refreshGroup(String)
        /// The topic is a level short: no camera, or no node.
        case short(String)
        case other
    }

    /// Takes the client off the topic of a command. Nil: the topic doesn't end in `/set/<client>`.
    package static func client(atEndOf topic: String) -> (command: String, client: String)? {
        let bytes = topic.utf8
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")),
            bytes[..<slash].suffix(4).elementsEqual("/set".utf8)
        else { return nil }
        return (
            String(decoding: bytes[..<slash], as: UTF8.self),
            String(decoding: bytes[bytes.index(after: slash)...], as: UTF8.self)
        )
    }

    /// Parses the topic of a message, without the client at its end.
    package func commandTopic(of topic: String) -> CommandTopic {
        // By bytes, as MQTT takes it: in a string an accent after a slash hides the slash.
        if let levels = Self.levels(of: topic, below: root) {
            switch levels.count {
            case 3 where levels[2] == "set" && levels[1] == Self.refresh: return .refresh(camera: levels[0])
            case 2 where levels[1] == "set" && levels[0] == Self.refresh: return .refresh(camera: nil)
            case 3 where levels[2] == "set": return .node(camera: levels[0], node: levels[1])
            case 2 where levels[1] == "set": return .short(levels[0])
            default: return .other
            }
        }
        if let levels = Self.levels(of: topic, below: "\(base)/groups"), levels.count == 3, levels[2] == "set"
        {
            if levels[1] == Self.refresh { return .refreshGroup(levels[0]) }
            return .group(levels[0], node: levels[1])
        }
        return .other
    }

    private static func levels(of topic: String, below root: String) -> [String]? {
        let prefix = "\(root)/".utf8
        guard topic.utf8.starts(with: prefix) else { return nil }
        return topic.utf8.dropFirst(prefix.count)
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
