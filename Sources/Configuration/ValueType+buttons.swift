internal import Settings

extension ValueType where Value == [RemoteButton] {
    /// Topics of the bus that are shutter buttons.
    static var buttons: ValueType {
        list(
            "a list of buttons, such as [{ topic: zigbee2mqtt/remote, field: action, press: single }]",
            render: buttonText, read: readButton)
    }
}

extension ValueType where Value == [String] {
    /// One word, or a list of different ones.
    fileprivate static var words: ValueType {
        let word = ValueType<String>.text("a word of 1 to 64 bytes, as the button sends it", limit: 64)
        return ValueType(
            expected: "a word or a list of words",
            read: { node throws(TypeMismatch) in
                guard case .list(let elements) = node.content else { return [try word.read(node)] }
                var words: [String] = []
                for element in elements { words.append(try word.read(element)) }
                return words
            },
            render: { $0.count == 1 ? yamlText($0[0]) : "[\($0.map(yamlText).joined(separator: ", "))]" })
    }
}

extension RemoteButton {
    /// The words for each event, by the name of their field.
    fileprivate static let events: [(key: String, words: any WritableKeyPath<Self, [String]> & Sendable)] = [
        ("press", \.press), ("began", \.began), ("ended", \.ended), ("cancelled", \.cancelled),
    ]
}

private let topic = ValueType<String>.text("a topic of at most 512 bytes without + and #", limit: 512) {
    $0.utf8.isTopicName
}
/// A payload has no field without a name, so a path of dots alone would silently become the whole payload.
private let field = ValueType<String>.text("the name of a field, with dots between levels", limit: 128) {
    $0.contains { $0 != "." }
}.map {
    $0.split(separator: ".").map(String.init)
} back: {
    $0.joined(separator: ".")
}
private let role = ValueType<ButtonRole>.choice

private func readButton(_ node: YAMLNode) throws(TypeMismatch) -> RemoteButton {
    let expected = "a button: its topic, and its words for press, began, ended or cancelled"
    guard case .map(let entries) = node.content else { throw TypeMismatch(node: node, expected: expected) }
    var button = RemoteButton(topic: "")
    var isComplete = false
    for entry in entries {
        switch entry.key {
        case "topic": button.topic = try topic.read(entry.value)
        case "field": button.field = try field.read(entry.value)
        case "button": button.role = try role.read(entry.value)
        case "remote": button.isRemote = try ValueType<Bool>.boolean.read(entry.value)
        default:
            guard let event = RemoteButton.events.first(where: { $0.key == entry.key }) else {
                throw TypeMismatch(
                    node: node,
                    expected: "only topic, field, button, remote, press, began, ended and cancelled")
            }
            button[keyPath: event.words] = try ValueType<[String]>.words.read(entry.value)
            isComplete = isComplete || !button[keyPath: event.words].isEmpty
        }
    }
    let words = RemoteButton.events.flatMap { button[keyPath: $0.words] }
    guard Set(words).count == words.count else {
        throw TypeMismatch(node: node, expected: "each word for one event only")
    }
    guard isComplete, !button.topic.isEmpty else { throw TypeMismatch(node: node, expected: expected) }
    return button
}

private func buttonText(_ button: RemoteButton) -> String {
    var parts = ["topic: \(yamlText(button.topic))"]
    if !button.field.isEmpty, let path = field.render(button.field) { parts.append("field: \(path)") }
    for event in RemoteButton.events where !button[keyPath: event.words].isEmpty {
        parts.append("\(event.key): \(ValueType<[String]>.words.render(button[keyPath: event.words]) ?? "")")
    }
    if button.role != .primary { parts.append("button: \(button.role.rawValue)") }
    if !button.isRemote { parts.append("remote: false") }
    return "{ \(parts.joined(separator: ", ")) }"
}
