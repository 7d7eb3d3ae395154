extension Kind where Value == String {
    /// Text of 1 to `limit` bytes without control characters.
    static func text(
        _ expected: String, limit: Int, where isAllowed: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Kind {
        Kind(expected, render: yamlText, takesQuotes: true) { text in
            guard (1...limit).contains(text.utf8.count), isAllowed(text),
                !text.unicodeScalars.contains(where: \.isControl)
            else { return nil }
            return text
        }
    }

    /// A name as topics carry it.
    static func name(except reserved: String? = nil) -> Kind {
        let exception = reserved.map { ", other than \($0)" } ?? ""
        return text("a name of 1 to 64 of a-z, 0-9, _ and -\(exception)", limit: 64) { text in
            text != reserved && text.utf8.allSatisfy(isNameByte)
        }
    }

    static var path: Kind { text("a path", limit: 4_095) }

    /// Where a broker is. The form with a scheme or a port is a frequent slip.
    static var host: Kind {
        text("a host name or an address, without mqtt:// and without the port", limit: 253) { text in
            !text.contains(where: { $0.isWhitespace || $0 == "/" }) && text.count(where: { $0 == ":" }) != 1
        }
    }

    /// The level or levels above all topics of the agent (MQTT 5, section 4.7).
    static var baseTopic: Kind {
        text("a topic of at most 128 bytes without + and #, and without / at its ends", limit: 128) { text in
            text.utf8.isTopicName && text.utf8.first != UInt8(ascii: "/")
                && text.utf8.last != UInt8(ascii: "/")
        }
    }
}

extension Kind where Value == [String] {
    /// A list of different names.
    static var names: Kind {
        let name = Kind<String>.name()
        let expected = "a list of names, such as [outside, street]"
        return Kind(
            expected: expected, shape: .list,
            read: { node throws(Misread) in
                guard case .list(let elements) = node.content else {
                    throw Misread(node: node, expected: expected)
                }
                var names: [String] = []
                for element in elements {
                    let value = try name.read(element)
                    guard !names.contains(value) else {
                        throw Misread(node: element, expected: "each name once")
                    }
                    names.append(value)
                }
                return names
            },
            render: { "[\($0.map(yamlText).joined(separator: ", "))]" })
    }
}

extension String.UTF8View {
    /// Whether it may be published to by everybody (MQTT 5, section 4.7). Told by bytes, as brokers do: to Swift a wildcard with an accent is
    /// another character.
    var isTopicName: Bool {
        first != UInt8(ascii: "$") && !contains(UInt8(ascii: "+")) && !contains(UInt8(ascii: "#"))
    }
}

func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
        UInt8(ascii: "-"):
        true
    default:
        false
    }
}
