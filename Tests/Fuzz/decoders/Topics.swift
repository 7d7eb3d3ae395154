import Contract

private let agents = [Topics(base: "v4l2mqtt", agent: "porch"), Topics(base: "a/ü", agent: "b")]

/// A topic as the broker hands it on, and one that a client names for its answer. A topic that is understood
/// is printed the same, byte by byte.
func checkTopics(_ bytes: [UInt8]) {
    let topic = String(decoding: bytes, as: UTF8.self)
    for topics in agents {
        let root = "\(topics.base)/\(topics.agent)"
        if let parts = Topics.parse(topic, below: topics.base) {
            checkParts(parts, of: topic, topics)
        } else {
            // A topic that matches the agent's filters has an addressee.
            let levels = topic.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
            let filtered =
                topic.utf8.starts(with: "\(root)/".utf8) && levels.last?.elementsEqual("set".utf8) == true
            let depth = levels.count - root.utf8.split(separator: 0x2F).count
            expect(!(filtered && (2...3).contains(depth)), "a command has no addressee")
        }
        checkResponse(topic, topics)
    }
    if Topics.isName(topic) {
        expect((1...64).contains(topic.utf8.count), "a name of \(topic.utf8.count) bytes")
        expect(!topic.utf8.contains { "/+#".utf8.contains($0) }, "a name that is no level of a topic")
        expect(
            Topics.parse("v4l2mqtt/porch/\(topic)/zoom/set", below: "v4l2mqtt")?.camera?.camera == topic,
            "a camera with a good name can't be reached")
    }
}

private func checkResponse(_ topic: String, _ topics: Topics) {
    let prefixes = ["replies/", "\(topics.base)/", "$SYS/"]
    let isBelow = topics.isAnswerTopic(topic, below: prefixes)
    guard isBelow || topics.isOwnReply(topic) else { return }
    expect(!topic.isEmpty && !topic.utf8.contains { "+#\0".utf8.contains($0) }, "a wildcard passed")
    expect(topic.utf8.first != UInt8(ascii: "$"), "an answer could go to the broker")
    if case .command = Topics.parse(topic, below: topics.base)?.kind {
        expect(false, "an answer could pass for a command")
    }
    expect(isBelow != topic.utf8.starts(with: "\(topics.base)/".utf8), "an answer could pass for a state")
    expect(
        isBelow
            || topic.utf8.starts(with: "\(topics.root)/".utf8)
                && topic.utf8.suffix(6).elementsEqual("/reply".utf8),
        "an answer could pass for a state")
}

/// A topic that was understood is printed the same.
private func checkParts(_ parts: TopicParts, of topic: String, _ topics: Topics) {
    let place =
        switch parts.place {
        case .agent(let agent): [agent]
        case .camera(let address): [address.agent, address.camera]
        case .group(let group): [Topics.groups, group]
        }
    let end: [String] =
        switch parts.kind {
        case .state: []
        case .live: ["live"]
        case .answer: ["reply"]
        case .command(let client): ["set", client].compactMap { $0 }
        }
    let levels = place + [parts.node] + end
    expectLevels(levels)
    expectSame(([topics.base] + levels).joined(separator: "/"), topic)
    guard case .command(let client) = parts.kind, let node = Node(name: parts.node) else { return }
    switch parts.place {
    case .agent: break
    case .camera(let address):
        let topics = Topics(base: topics.base, agent: address.agent)
        expectSame(topics.command(for: node, camera: address.camera, client: client), topic)
        let command = topics.command(for: node, camera: address.camera)
        expectSame("\(topics.root)/\(address.camera)/\(parts.node)/reply", topics.reply(toCommandOn: command))
        guard let client, Topics.isName(client) else { return }
        expectSame(
            "replies/\(client)/\(address)/\(parts.node)",
            topics.reply(toCommandOn: command, below: Topics.answerPrefix(of: client)))
    case .group(let group): expectSame(topics.command(for: node, group: group, client: client), topic)
    }
}

private func expectLevels(_ levels: [String]) {
    for level in levels { expect(!level.utf8.contains(0x2F), "two levels were taken for one: \(level)") }
}

private func expectSame(_ printed: String, _ topic: String) {
    expect(printed.utf8.elementsEqual(topic.utf8), "\(topic) is printed as \(printed)")
}
