internal import Base
internal import Contract
internal import Settings

extension ValueType where Value == String {
    /// Text of 1 to `limit` bytes without control characters.
    static func text(
        _ expected: String, limit: Int, where isAllowed: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> ValueType {
        ValueType(expected, render: yamlText, takesQuotes: true) { text in
            guard (1...limit).contains(text.utf8.count), isAllowed(text),
                !text.unicodeScalars.contains(where: \.isControl)
            else { return nil }
            return text
        }
    }

    /// A name for people.
    static var title: ValueType {
        let limit = TextRule.title.bytes
        return text("a printable text of at most \(limit) bytes", limit: limit) { $0.printable == $0 }
    }

    /// A name that is a level of topics.
    static func name(except reserved: [String] = []) -> ValueType {
        let exception = reserved.isEmpty ? "" : ", other than \(reserved.joined(separator: " and "))"
        let limit = TextRule.name.bytes
        return text("a name of 1 to \(limit) of a-z, 0-9, _ and -\(exception)", limit: limit) { text in
            !reserved.contains(text) && text.utf8.allSatisfy(\.isPartOfName)
        }
    }

    /// A path. A relative one is relative to the folder of the file that has it, in other layers to that
    /// where the process was started.
    static var path: ValueType { file(nil) }

    /// A path that is used as it is written.
    static var literalPath: ValueType { text("a path", limit: 4_095) }

    /// The path of a file that must be readable, unless its use is nil.
    static func file(_ use: FileUse? = .readable) -> ValueType {
        let text = literalPath
        return ValueType(
            expected: text.expected, isScalar: true,
            read: { node throws(ValueError) in resolve(try text.read(node), from: node.origin) },
            render: text.render, fileUse: use)
    }

    /// A broker's host. A scheme or a port beside it is a frequent mistake.
    static var host: ValueType {
        text("a host name or an address, without mqtt:// and without the port", limit: 253) { text in
            !text.contains(where: { $0.isWhitespace || $0 == "/" }) && text.count(where: { $0 == ":" }) != 1
        }
    }

    /// The level or levels above all topics of the agent (MQTT 5, section 4.7).
    static var baseTopic: ValueType {
        text("a topic of at most 128 bytes without + and #, and without / at its ends", limit: 128) {
            $0.utf8.isTopicName && $0.utf8.first != slash && $0.utf8.last != slash
        }
    }

    /// A topic of another program.
    static var topic: ValueType {
        text("a topic of at most 512 bytes without + and #", limit: 512) { $0.utf8.isTopicName }
    }

    /// The four letters of a pixel format.
    static var pixelFormat: ValueType {
        ValueType("four letters, such as MJPG", render: yamlText, takesQuotes: true) { text in
            text.utf8.count == 4 && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) } ? text : nil
        }
    }
}

extension ValueType where Value == [BrokerAddress] {
    /// A list of different brokers.
    static var brokers: ValueType {
        let broker = ValueType<BrokerAddress>(
            "a host name or an address, with or without a port, such as b.example:1884 or [::1]:1884",
            render: { yamlText($0.description) }, takesQuotes: true
        ) { BrokerAddress($0) }
        return list(
            "a list of at most \(MQTTSettings.maxHosts) hosts, such as [a.example, b.example:1884, \"[::1]:1884\"]",
            atMost: MQTTSettings.maxHosts, each: "each host once", broker)
    }
}

extension ValueType where Value == [String] {
    /// A list of different names.
    static var names: ValueType {
        list("a list of names, such as [outside, street]", each: "each name once", .name())
    }

    /// A list of different prefixes of topics.
    static var topicPrefixes: ValueType {
        list(
            "a list of beginnings of topics with / at their ends, such as [replies/]",
            each: "each beginning once",
            .text("the beginning of a topic with / at its end, at most 256 bytes without + and #", limit: 256)
            {
                $0.utf8.isTopicName && $0.utf8.first != slash && $0.utf8.last == slash
            })
    }
}

private let slash = UInt8(ascii: "/")

extension String.UTF8View {
    /// Whether every client may publish to this topic (MQTT 5, section 4.7). Brokers compare bytes: a Swift
    /// character may be a wildcard with an accent, which doesn't equal the wildcard.
    fileprivate var isTopicName: Bool {
        first != UInt8(ascii: "$") && !contains(UInt8(ascii: "+")) && !contains(UInt8(ascii: "#"))
    }
}

private func resolve(_ path: String, from origin: ValueOrigin) -> String {
    guard case .file(let name, _) = origin, !path.hasPrefix("/") else { return Files.absolute(path) }
    let folder = Files.folder(of: Files.absolute(name))
    return (folder == "/" ? "" : folder) + "/" + (path.hasPrefix("./") ? path.dropFirst(2) : path[...])
}
