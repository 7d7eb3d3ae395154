extension Kind where Value == [Configuration.Source] {
    /// Where frames come from: one source, or a list of which the first that is there is taken.
    static var sources: Kind {
        let expected = "simulated, { v4l2: /dev/video0 }, { serial: NUMBER }, or a list of these"
        return Kind(
            expected: expected, shape: .tree,
            read: { node throws(Misread) in
                guard case .list(let elements) = node.content else {
                    return [try readSource(node, expected: expected)]
                }
                guard !elements.isEmpty else { throw Misread(node: node, expected: "at least one source") }
                var sources: [Configuration.Source] = []
                for element in elements {
                    sources.append(
                        try readSource(element, expected: "simulated, { v4l2: PATH } or { serial: NUMBER }"))
                }
                return sources
            },
            render: { sources in
                let words = sources.map(sourceText)
                return words.count == 1 ? words[0] : "[\(words.joined(separator: ", "))]"
            })
    }
}

private func readSource(_ node: Node, expected: String) throws(Misread) -> Configuration.Source {
    switch node.content {
    case .scalar("simulated", _):
        return .simulated
    case .map(let entries):
        guard entries.count == 1, let entry = entries.first else { break }
        switch entry.key {
        case "v4l2": return .v4l2(path: try Kind<String>.path.read(entry.value))
        case "serial":
            return .serial(try Kind<String>.text("a serial number", limit: 255).read(entry.value))
        default: break
        }
    default: break
    }
    throw Misread(node: node, expected: expected)
}

private func sourceText(_ source: Configuration.Source) -> String {
    switch source {
    case .simulated: "simulated"
    case .v4l2(let path): "{ v4l2: \(yamlText(path)) }"
    case .serial(let number): "{ serial: \(yamlText(number)) }"
    }
}
