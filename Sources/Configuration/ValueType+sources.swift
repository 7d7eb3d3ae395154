internal import Settings

extension ValueType where Value == [SourceChoice] {
    private static var source: String {
        "simulated, any, { v4l2: PATH }, { serial: NUMBER } or properties, such as { kind: wide }"
    }

    /// One source of frames, or a list in order of preference.
    static var sources: ValueType {
        let expected =
            "simulated, any, { v4l2: /dev/video0 }, { serial: NUMBER }, properties such as { kind: wide }, or a list of these"
        return ValueType(
            expected: expected,
            read: { node throws(TypeMismatch) in
                guard case .list(let elements) = node.content else {
                    return [try readSource(node, expected: expected)]
                }
                guard !elements.isEmpty else {
                    throw TypeMismatch(node: node, expected: "at least one source")
                }
                var sources: [SourceChoice] = []
                for element in elements { sources.append(try readSource(element, expected: source)) }
                return sources
            },
            render: { sources in
                let words = sources.map(\.text)
                return words.count == 1 ? words[0] : "[\(words.joined(separator: ", "))]"
            })
    }
}

private func readSource(_ node: YAMLNode, expected: String) throws(TypeMismatch) -> SourceChoice {
    switch node.content {
    case .scalar("simulated", _): return .simulated
    case .scalar("any", _): return .properties(.any)
    case .map(let entries):
        if let path = entries.first(where: { $0.key == "v4l2" }) {
            guard entries.count == 1 else {
                throw TypeMismatch(node: node, expected: "v4l2 alone: a path names the device already")
            }
            return .v4l2(path: try ValueType<String>.literalPath.read(path.value))
        }
        let pattern = try DevicePattern(entries)
        // A serial number alone also recognizes a device without other properties.
        var others = pattern
        others.serial = nil
        if let serial = pattern.serial, others == .any { return .serial(serial) }
        return .properties(pattern)
    default: throw TypeMismatch(node: node, expected: expected)
    }
}

extension SourceChoice {
    /// As YAML.
    package var text: String {
        switch self {
        case .simulated: "simulated"
        case .v4l2(let path): "{ v4l2: \(yamlText(path)) }"
        case .serial(let number): "{ serial: \(yamlText(number)) }"
        case .properties(let pattern): pattern == .any ? "any" : "{ \(pattern.text) }"
        }
    }
}
