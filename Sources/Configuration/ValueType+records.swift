internal import Settings

// MARK: Shutter buttons

extension ValueType where Value == [RemoteButton] {
    /// Topics of the bus that are shutter buttons.
    static var buttons: ValueType {
        list(
            "a list of buttons, such as [{ topic: zigbee2mqtt/remote, field: action, press: single }]",
            .record(
                RemoteButton(topic: ""), RemoteButton.parts,
                fields: "only topic, field, button, remote, press, began, ended and cancelled", isShown: false
            ))
    }
}

extension RemoteButton: Keyed {
    fileprivate static let parts = "a button: its topic, and its words for press, began, ended or cancelled"

    mutating func visit(_ f: inout KeyVisitor) {
        f("topic", &topic, .topic)
        // A payload has no field without a name: a path of dots alone would be the whole payload.
        let path = ValueType<String>.text("the name of a field, with dots between levels", limit: 128) {
            $0.contains { $0 != "." }
        }
        f(
            "field", &field,
            path.map({ $0.split(separator: ".").map(String.init) }, back: { $0.joined(separator: ".") }))
        let words = ValueType<[String]>.list(
            "a word or a list of words", orOne: true,
            .text("a word of 1 to 64 bytes, as the button sends it", limit: 64))
        f("press", &press, words)
        f("began", &began, words)
        f("ended", &ended, words)
        f("cancelled", &cancelled, words)
        f("button", &role, .choice)
        f("remote", &isRemote, .boolean)
        let all = press + began + ended + cancelled
        f.check(Set(all).count == all.count, message: "each word for one event only")
        f.check(!all.isEmpty && !topic.isEmpty, message: Self.parts)
    }
}

// MARK: Devices

extension ValueType where Value: Keyed {
    /// - Parameter blank: no properties.
    fileprivate static func properties(_ blank: Value, _ expected: String) -> ValueType {
        record(blank, expected, fields: "kind, position, serial, model, driver or bus", isShown: true)
    }
}

extension DevicePattern: Keyed {
    mutating func visit(_ f: inout KeyVisitor) {
        let text = ValueType<String?>.optional(.text("a text of at most 255 bytes", limit: 255))
        f("kind", &kind, .optional(.choice))
        f("position", &position, .optional(.choice))
        f("serial", &serial, text)
        f("model", &model, text)
        f("driver", &driver, text)
        f("bus", &bus, text)
    }
}

extension ValueType where Value == [DevicePattern] {
    /// Kinds and positions of devices that report none.
    static var deviceTags: ValueType {
        list(
            "a list of devices with their kind or position, such as [{ model: HD Pro Webcam, kind: wide }]",
            .properties(.any, "a device with its kind or position").checked { tag in
                if [tag.serial, tag.model, tag.driver, tag.bus].allSatisfy({ $0 == nil }) {
                    "serial, model, driver or bus, by which the device is recognized"
                } else {
                    tag.kind == nil && tag.position == nil ? "a kind or a position of the device" : nil
                }
            })
    }
}

extension ValueType where Value == [SourceChoice] {
    /// One source of frames, or a list in order of preference.
    static var sources: ValueType {
        let alone = ValueType<SourceChoice>.source(
            "simulated, any, { v4l2: /dev/video0 }, { serial: NUMBER }, properties such as { kind: wide }, or a list of these"
        )
        let list = list(
            alone.expected, orOne: true,
            .source(
                "simulated, any, { v4l2: PATH }, { serial: NUMBER } or properties, such as { kind: wide }")
        ).checked { $0.isEmpty ? "at least one source" : nil }
        return ValueType(
            expected: list.expected,
            read: { node throws(ValueError) in
                if case .list = node.content { try list.read(node) } else { [try alone.read(node)] }
            }, render: list.render)
    }
}

extension ValueType where Value == SourceChoice {
    fileprivate static func source(_ expected: String) -> ValueType {
        let properties = ValueType<DevicePattern>.properties(.any, expected)
        return ValueType(
            expected: expected,
            read: { node throws(ValueError) in
                switch node.content {
                case .scalar("simulated", _): return .simulated
                case .scalar("any", _): return .properties(.any)
                case .map(let entries):
                    if let path = entries.first(where: { $0.key == "v4l2" }) {
                        guard entries.count == 1 else {
                            throw ValueError(
                                node, expected: "v4l2 alone: a path names the device already")
                        }
                        return .v4l2(path: try ValueType<String>.literalPath.read(path.value))
                    }
                    let pattern = try properties.read(node)
                    // A serial number alone also recognizes a device without other properties.
                    var others = pattern
                    others.serial = nil
                    if let serial = pattern.serial, others == .any { return .serial(serial) }
                    return .properties(pattern)
                default: throw ValueError(node, expected: expected)
                }
            }, render: { $0.text })
    }
}

extension SourceChoice {
    /// As YAML.
    package var text: String {
        switch self {
        case .simulated: "simulated"
        case .v4l2(let path): "{ v4l2: \(yamlText(path)) }"
        case .serial(let number): "{ serial: \(yamlText(number)) }"
        case .properties(.any): "any"
        case .properties(let pattern): ValueType<DevicePattern>.properties(.any, "").render(pattern) ?? ""
        }
    }
}

extension ValueType where Value == [CalibrationPoint] {
    /// Pairs of a lens's position in its own units and the factor there. Both rise.
    static var calibration: ValueType {
        let expected = "pairs of a unit and a factor that rise, such as [[100, 1], [500, 4.2]]"
        let (unit, factor) = (
            ValueType<Int>.whole(-1_000_000...1_000_000), ValueType<Double>.number(0.01...1_000)
        )
        let type = ValueType(
            expected: expected,
            read: { node throws(ValueError) in
                guard case .list(let elements) = node.content else {
                    throw ValueError(node, expected: expected)
                }
                var points: [CalibrationPoint] = []
                for element in elements {
                    guard case .list(let parts) = element.content, parts.count == 2 else {
                        throw ValueError(element, expected: "a pair of a unit and a factor, such as [100, 1]")
                    }
                    let point = CalibrationPoint(
                        raw: Int64(try unit.read(parts[0])), factor: try factor.read(parts[1]))
                    if let last = points.last, point.raw <= last.raw || point.factor <= last.factor {
                        throw ValueError(element, expected: "a unit and a factor above those before")
                    }
                    points.append(point)
                }
                return points
            },
            render: { "[\($0.map { "[\($0.raw), \($0.factor)]" }.joined(separator: ", "))]" })
        return type.checked { $0.count == 1 ? "at least two pairs of a unit and a factor" : nil }
    }
}

extension ValueType where Value == LibcameraUse {
    /// Whether libcamera's layer is used, or the path of the layer.
    static var libcamera: ValueType {
        let (boolean, path) = (ValueType<Bool>.boolean, ValueType<String>.path)
        let expected = "true, false or a path with a / in it"
        return ValueType(
            expected: expected, isScalar: true,
            read: { node throws(ValueError) in
                if let isUsed = try? boolean.read(node) { return isUsed ? .installed : .no }
                // A word without a slash is rather a misspelt true than a file.
                guard case .scalar(let text, _) = node.content, text.contains("/"),
                    let file = try? path.read(node)
                else { throw ValueError(node, expected: expected) }
                return .file(file)
            },
            render: { if case .file(let file) = $0 { path.render(file) } else { "\($0 == .installed)" } })
    }
}
