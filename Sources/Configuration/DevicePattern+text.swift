internal import Settings

/// How properties of devices are written.
extension DevicePattern {
    private static let texts: [(key: String, place: any WritableKeyPath<Self, String?> & Sendable)] = [
        ("serial", \.serial), ("model", \.model), ("driver", \.driver), ("bus", \.bus),
    ]
    private static let text = ValueType<String>.text("a text of at most 255 bytes", limit: 255)
    private static let kinds = ValueType<CameraKind>.choice
    private static let positions = ValueType<CameraPosition>.choice

    init(_ entries: [YAMLNode.Entry]) throws(TypeMismatch) {
        self = .any
        for entry in entries {
            switch entry.key {
            case "kind": kind = try Self.kinds.read(entry.value)
            case "position": position = try Self.positions.read(entry.value)
            default:
                guard let place = Self.texts.first(where: { $0.key == entry.key })?.place else {
                    throw TypeMismatch(
                        node: YAMLNode(content: .scalar(entry.key, .plain), origin: entry.keyOrigin),
                        expected: "kind, position, serial, model, driver or bus")
                }
                self[keyPath: place] = try Self.text.read(entry.value)
            }
        }
    }

    /// As YAML, without braces.
    var text: String {
        var parts: [String] = []
        if let kind { parts.append("kind: \(kind.rawValue)") }
        if let position { parts.append("position: \(position.rawValue)") }
        for (key, place) in Self.texts {
            if let value = self[keyPath: place] { parts.append("\(key): \(yamlText(value))") }
        }
        return parts.joined(separator: ", ")
    }
}

extension ValueType where Value == [DevicePattern] {
    /// Kinds and positions of devices that report none.
    static var deviceTags: ValueType {
        list(
            "a list of devices with their kind or position, such as [{ model: HD Pro Webcam, kind: wide }]",
            render: { "{ \($0.text) }" }, read: readTag)
    }
}

private func readTag(_ node: YAMLNode) throws(TypeMismatch) -> DevicePattern {
    guard case .map(let entries) = node.content else {
        throw TypeMismatch(node: node, expected: "a device with its kind or position")
    }
    let tag = try DevicePattern(entries)
    guard [tag.serial, tag.model, tag.driver, tag.bus].contains(where: { $0 != nil }) else {
        throw TypeMismatch(
            node: node, expected: "serial, model, driver or bus, by which the device is recognized")
    }
    guard tag.kind != nil || tag.position != nil else {
        throw TypeMismatch(node: node, expected: "a kind or a position of the device")
    }
    return tag
}
