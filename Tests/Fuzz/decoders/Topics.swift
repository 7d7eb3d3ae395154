import Contract

private let agents = [Topics(base: "v4l2mqtt", agent: "porch"), Topics(base: "a/ü", agent: "b")]

/// A topic as the broker hands it on, and one that a client names for its answer. A topic that is understood
/// is printed the same, byte by byte.
func checkTopics(_ bytes: [UInt8]) {
    let topic = String(decoding: bytes, as: UTF8.self)
    for topics in agents {
        let root = "\(topics.base)/\(topics.agent)"
        switch topics.commandTopic(of: topic) {
        case .node(let camera, let name):
            expectLevels([camera, name])
            expectSame("\(root)/\(camera)/\(name)/set", topic)
            expectSame("\(root)/\(camera)/\(name)/reply", topics.reply(toCommandOn: topic))
            if let node = Node(name: name) {
                expectSame(topics.command(for: node, camera: camera), topic)
                expectSame(topics.state(of: node, camera: camera) + "/set", topic)
            }
        case .group(let group, let name):
            expectLevels([group, name])
            expectSame("\(topics.base)/groups/\(group)/\(name)/set", topic)
            if let node = Node(name: name) { expectSame(topics.command(for: node, group: group), topic) }
        case .refresh(let camera):
            if let camera { expectLevels([camera]) }
            expectSame(topics.refresh(camera: camera), topic)
        case .refreshGroup(let group):
            expectLevels([group])
            expectSame("\(topics.base)/groups/\(group)/refresh/set", topic)
        case .short(let name):
            expectLevels([name])
            expectSame("\(root)/\(name)/set", topic)
        case .other:
            // A topic that matches the agent's filters has an addressee.
            let levels = topic.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
            let filtered =
                topic.utf8.starts(with: "\(root)/".utf8) && levels.last?.elementsEqual("set".utf8) == true
            let depth = levels.count - root.utf8.split(separator: 0x2F).count
            expect(!(filtered && (2...3).contains(depth)), "a command has no addressee")
        }
        checkResponse(topic, topics)
        checkClient(topic, topics)
    }
    if Topics.isName(topic) {
        expect((1...64).contains(topic.utf8.count), "a name of \(topic.utf8.count) bytes")
        expect(!topic.utf8.contains { "/+#".utf8.contains($0) }, "a name that is no level of a topic")
        expect(
            agents[0].commandTopic(of: "v4l2mqtt/porch/\(topic)/zoom/set")
                == .node(camera: topic, node: "zoom"),
            "a camera with a good name can't be reached")
    }
}

private func checkResponse(_ topic: String, _ topics: Topics) {
    let prefixes = ["replies/", "\(topics.base)/", "$SYS/"]
    let isBelow = topics.isAnswerTopic(topic, below: prefixes)
    guard isBelow || topics.isOwnReply(topic) else { return }
    expect(!topic.isEmpty && !topic.utf8.contains { "+#\0".utf8.contains($0) }, "a wildcard passed")
    expect(topic.utf8.first != UInt8(ascii: "$"), "an answer could go to the broker")
    expect(topics.commandTopic(of: topic) == .other, "an answer could pass for a command")
    expect(isBelow != topic.utf8.starts(with: "\(topics.base)/".utf8), "an answer could pass for a state")
    expect(
        isBelow
            || topic.utf8.starts(with: "\(topics.root)/".utf8)
                && topic.utf8.suffix(6).elementsEqual("/reply".utf8),
        "an answer could pass for a state")
}

/// A topic with a client at its end.
private func checkClient(_ topic: String, _ topics: Topics) {
    guard let (command, client) = Topics.client(atEndOf: topic) else { return }
    expectLevels([client])
    expectSame("\(command)/\(client)", topic)
    guard Topics.isName(client) else { return }
    let prefix = Topics.answerPrefix(of: client)
    if case .node(let camera, let name) = topics.commandTopic(of: command) {
        if let node = Node(name: name) {
            expectSame(topics.command(for: node, camera: camera, client: client), topic)
        }
        expectSame(
            "replies/\(client)/\(topics.agent)/\(camera)/\(name)",
            topics.reply(toCommandOn: command, below: prefix))
    }
}

private func expectLevels(_ levels: [String]) {
    for level in levels { expect(!level.utf8.contains(0x2F), "two levels were taken for one: \(level)") }
}

private func expectSame(_ printed: String, _ topic: String) {
    expect(printed.utf8.elementsEqual(topic.utf8), "\(topic) is printed as \(printed)")
}
