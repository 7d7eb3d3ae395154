extension Kind where Value == [Configuration.Button] {
    /// Topics of the bus that are shutter buttons.
    static var buttons: Kind {
        let expected =
            "a list of buttons, such as [{ topic: zigbee2mqtt/remote, field: action, press: single }]"
        return Kind(
            expected: expected, shape: .tree,
            read: { node throws(Misread) in
                guard case .list(let elements) = node.content else {
                    throw Misread(node: node, expected: expected)
                }
                var buttons: [Configuration.Button] = []
                for element in elements { buttons.append(try readButton(element)) }
                return buttons
            },
            render: { "[\($0.map(buttonText).joined(separator: ", "))]" })
    }
}

extension Kind where Value == [String] {
    /// One word, or a list of different ones.
    fileprivate static var words: Kind {
        let word = Kind<String>.text("a word of 1 to 64 bytes, as the button sends it", limit: 64)
        return Kind(
            expected: "a word or a list of words", shape: .tree,
            read: { node throws(Misread) in
                guard case .list(let elements) = node.content else { return [try word.read(node)] }
                var words: [String] = []
                for element in elements { words.append(try word.read(element)) }
                return words
            },
            render: { $0.count == 1 ? yamlText($0[0]) : "[\($0.map(yamlText).joined(separator: ", "))]" })
    }
}

extension Configuration.Button {
    /// The words for each event, by the name of their key.
    fileprivate static let events: [(key: String, words: any WritableKeyPath<Self, [String]> & Sendable)] = [
        ("press", \.press), ("began", \.began), ("ended", \.ended), ("cancelled", \.cancelled),
    ]
}

private let topic = Kind<String>.text("a topic of at most 512 bytes without + and #", limit: 512) {
    $0.utf8.isTopicName
}
private let field = Kind<String>.text("the name of a field, with dots between levels", limit: 128)
private let role = Kind<Configuration.Button.Role>.choice

private func readButton(_ node: Node) throws(Misread) -> Configuration.Button {
    let expected = "a button: its topic, and its words for press, began, ended or cancelled"
    guard case .map(let entries) = node.content else { throw Misread(node: node, expected: expected) }
    var button = Configuration.Button(topic: "")
    var isComplete = false
    for entry in entries {
        switch entry.key {
        case "topic": button.topic = try topic.read(entry.value)
        case "field": button.field = try field.read(entry.value)
        case "button": button.role = try role.read(entry.value)
        case "remote": button.isRemote = try Kind<Bool>.truth.read(entry.value)
        default:
            guard let event = Configuration.Button.events.first(where: { $0.key == entry.key }) else {
                throw Misread(
                    node: node,
                    expected: "only topic, field, button, remote, press, began, ended and cancelled")
            }
            button[keyPath: event.words] = try Kind<[String]>.words.read(entry.value)
            isComplete = isComplete || !button[keyPath: event.words].isEmpty
        }
    }
    let words = Configuration.Button.events.flatMap { button[keyPath: $0.words] }
    guard Set(words).count == words.count else {
        throw Misread(node: node, expected: "each word for one thing only")
    }
    guard isComplete, !button.topic.isEmpty else { throw Misread(node: node, expected: expected) }
    return button
}

private func buttonText(_ button: Configuration.Button) -> String {
    var parts = ["topic: \(yamlText(button.topic))"]
    if let name = button.field { parts.append("field: \(yamlText(name))") }
    for event in Configuration.Button.events where !button[keyPath: event.words].isEmpty {
        parts.append("\(event.key): \(Kind<[String]>.words.render(button[keyPath: event.words]) ?? "")")
    }
    if button.role != .primary { parts.append("button: \(button.role.rawValue)") }
    if !button.isRemote { parts.append("remote: false") }
    return "{ \(parts.joined(separator: ", ")) }"
}
