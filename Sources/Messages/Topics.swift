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
    package static func isName(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The prefix of all topics of the agent.
    package var root: String { "\(base)/\(agent)" }

    package var agentAvailability: String { "\(root)/availability" }
    package var agentInfo: String { "\(root)/info" }

    package func availability(of camera: String) -> String { "\(root)/\(camera)/availability" }
    package func info(of camera: String) -> String { "\(root)/\(camera)/info" }
    package func state(of node: Node, camera: String) -> String { "\(root)/\(camera)/\(node.rawValue)" }
    package func command(for node: Node, camera: String) -> String {
        "\(root)/\(camera)/\(node.rawValue)/set"
    }
    package func zoomLive(camera: String) -> String { "\(root)/\(camera)/zoom/live" }
    package func previewLive(camera: String) -> String { "\(root)/\(camera)/preview/live" }
    package func image(camera: String) -> String { "\(root)/\(camera)/image" }
    package func diagnostics(camera: String) -> String { "\(root)/\(camera)/diagnostics" }
    package func event(camera: String) -> String { "\(root)/\(camera)/event" }

    /// The retained topics of the agent itself.
    package var retained: [String] { [agentAvailability, agentInfo] }

    /// The retained topics of a camera.
    package func retained(ofCamera camera: String) -> [String] {
        [availability(of: camera), info(of: camera), image(camera: camera), diagnostics(camera: camera)]
            + Node.allCases.map { state(of: $0, camera: camera) }
    }

    /// The topic of the answer to a command on this topic, if the command has no response topic.
    package func reply(toCommandOn topic: String) -> String {
        String(topic.dropLast("set".count)) + "reply"
    }

    /// The filters for commands to nodes, and for those whose topic is a level short, so that they are
    /// answered too.
    package var commandFilters: [String] { ["\(root)/+/+/set", "\(root)/+/set"] }

    /// Whether a client may have an answer sent to a topic: any but the agent's own, where the answer could
    /// be taken for a command or a state.
    package func isResponseTopic(_ topic: String) -> Bool {
        if topic.isEmpty || topic.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") })
        {
            return false
        }
        // By bytes: in a string an accent after a slash hides the slash.
        return !topic.utf8.starts(with: "\(base)/".utf8) || topic.utf8.suffix(6).elementsEqual("/reply".utf8)
    }

    /// The filter for `desired`, which is the only command whose retained messages are accepted.
    package var desiredFilter: String { "\(root)/+/\(Node.desired.rawValue)/set" }

    /// The filter for commands to a group of cameras.
    package func commandFilter(forGroup group: String) -> String { "\(base)/groups/\(group)/+/set" }

    package func command(for node: Node, group: String) -> String {
        "\(base)/groups/\(group)/\(node.rawValue)/set"
    }

    /// The camera or group and the node that the topic of a command names.
    package enum CommandTopic: Sendable, Equatable {
        case node(camera: String, node: String)
        /// A node of every camera that lists the group.
        case group(String, node: String)
        /// The topic is a level short: no camera, or no node.
        case short(String)
        case other
    }

    /// Parses the topic of a message.
    package func commandTopic(of topic: String) -> CommandTopic {
        // By bytes, as MQTT takes it: in a string an accent after a slash hides the slash.
        if let levels = Self.levels(of: topic, below: root) {
            switch levels.count {
            case 3 where levels[2] == "set": return .node(camera: levels[0], node: levels[1])
            case 2 where levels[1] == "set": return .short(levels[0])
            default: return .other
            }
        }
        if let levels = Self.levels(of: topic, below: "\(base)/groups"), levels.count == 3, levels[2] == "set"
        {
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
