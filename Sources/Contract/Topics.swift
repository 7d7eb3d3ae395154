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

    /// The levels in the place of an agent that are for all agents.
    package static let reservedNames = [groups, "fleet"]

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

    /// The topics on which a client asks for the retained messages of an agent, or of one of its cameras.
    ///
    /// - Parameter isProved: whether only commands of proved clients are taken, on the topics of their own.
    ///   Nil: that is not known. All agents take those, but not every account may publish them.
    package func refreshes(camera: String?, client: String, isProved: Bool?) -> [String] {
        let hasOwn = isProved != false && Self.isName(client)
        let ends: [String?] = (isProved == true ? [] : [nil]) + (hasOwn ? [client] : [])
        return ends.map { refresh(camera: camera, client: $0) }
    }

    /// The filters for commands to nodes, and for those whose topic is a level short, so that they are
    /// answered too. Each with and without the client at its end.
    package var commandFilters: [String] {
        ["\(root)/+/+/set", "\(root)/+/set"].flatMap { [$0, "\($0)/+"] }
    }

    /// Whether a topic is one of the agent's own that end in `/reply`. Those that end in `/set/reply` are for
    /// commands of a client with this name.
    package func isOwnReply(_ topic: String) -> Bool {
        guard Self.isTopicName(topic), let below = Self.rest(of: topic[...].utf8, below: base) else {
            return false
        }
        return Self.rest(of: below, below: agent) != nil && topic.utf8.suffix(6).elementsEqual("/reply".utf8)
            && !topic.utf8.suffix(10).elementsEqual("/set/reply".utf8)
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
    static func rest(of topic: Substring.UTF8View, below prefix: String) -> Substring.UTF8View? {
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
}
