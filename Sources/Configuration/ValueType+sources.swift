internal import Settings

extension ValueType where Value == [SourceChoice] {
    /// One source of frames, or a list in order of preference.
    static var sources: ValueType {
        let expected = "simulated, { v4l2: /dev/video0 }, { serial: NUMBER }, or a list of these"
        return ValueType(
            expected: expected, shape: .tree,
            read: { node throws(TypeMismatch) in
                guard case .list(let elements) = node.content else {
                    return [try readSource(node, expected: expected)]
                }
                guard !elements.isEmpty else {
                    throw TypeMismatch(node: node, expected: "at least one source")
                }
                var sources: [SourceChoice] = []
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

private func readSource(_ node: YAMLNode, expected: String) throws(TypeMismatch) -> SourceChoice {
    switch node.content {
    case .scalar("simulated", _):
        return .simulated
    case .map(let entries):
        guard entries.count == 1, let entry = entries.first else { break }
        switch entry.key {
        case "v4l2": return .v4l2(path: try ValueType<String>.literalPath.read(entry.value))
        case "serial":
            return .serial(try ValueType<String>.text("a serial number", limit: 255).read(entry.value))
        default: break
        }
    default: break
    }
    throw TypeMismatch(node: node, expected: expected)
}

private func sourceText(_ source: SourceChoice) -> String {
    switch source {
    case .simulated: "simulated"
    case .v4l2(let path): "{ v4l2: \(yamlText(path)) }"
    case .serial(let number): "{ serial: \(yamlText(number)) }"
    }
}
