/// What a topic says about its message. This is the one place where topics are taken apart, by bytes, as MQTT
/// compares them: in a string an accent after a slash hides the slash.
package struct TopicParts: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        case agent(String)
        case camera(CameraAddress)
        /// Every camera that lists the group.
        case group(String)
    }

    package enum Kind: Hashable, Sendable {
        /// Also `event` and `image`, and answers below the topics of one client.
        case state
        /// Published beside the state, and not retained.
        case live
        /// Its names are as the sender wrote them, and may be no names. The client is the end of the topic;
        /// nil: it has none.
        case command(client: String?)
        case answer
    }

    package let place: Place
    /// Of a command without a camera or a node, the level that it has in their place.
    package let node: String
    package var kind: Kind

    /// The camera; nil: it is about an agent or a group.
    package var camera: CameraAddress? { if case .camera(let address) = place { address } else { nil } }

    /// The node as its topic has it, such as `zoom` or `zoom/live`.
    package var path: String { kind == .live ? "\(node)/live" : node }

    /// The name of the agent or the group, or the address of the camera.
    package var placeName: String {
        switch place {
        case .agent(let name), .group(let name): name
        case .camera(let address): address.description
        }
    }
}

extension Topics {
    /// Takes a topic apart.
    ///
    /// - Parameter base: the first levels of all topics.
    /// - Returns: nil: it is no topic of an agent, a camera or a group, or the name of one can't be one.
    package static func parse(_ topic: String, below base: String) -> TopicParts? {
        guard let rest = rest(of: topic[...].utf8, below: base) else { return nil }
        var levels = rest.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        var kind = TopicParts.Kind.state
        if levels.count >= 4, levels[levels.count - 2] == "set" {
            kind = .command(client: levels.removeLast())
            levels.removeLast()
        } else if levels.count >= 3 {
            switch levels.last {
            case "set": kind = .command(client: nil)
            case "reply": kind = .answer
            case "live" where levels.count == 4: kind = .live
            default: break
            }
            if kind != .state { levels.removeLast() }
        }
        guard levels.count == 2 || levels.count == 3, let node = levels.popLast() else { return nil }
        if case .command = kind {} else if !levels.allSatisfy({ isName($0) }) { return nil }
        switch (levels[0], levels.count) {
        case (groups, 1): return nil
        case (groups, _): return TopicParts(place: .group(levels[1]), node: node, kind: kind)
        case (let agent, 1): return TopicParts(place: .agent(agent), node: node, kind: kind)
        case (let agent, _):
            let address = CameraAddress(agent: agent, camera: levels[1])
            return TopicParts(place: .camera(address), node: node, kind: kind)
        }
    }
}
