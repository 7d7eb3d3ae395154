internal import FoundationEssentials

/// JSON as bytes. Nothing outside this module knows how messages are written.
package enum JSON {
    /// The bytes of a message. Fields that are nil are left out.
    package static func bytes(_ message: some JSONMessage) -> [UInt8] {
        var json = JSONText()
        message.write(to: &json)
        return json.bytes
    }

    /// The bytes of any other value, or of a message by way of its `Encodable` conformance.
    package static func bytes(_ value: some Encodable) -> [UInt8] {
        var json = JSONText()
        json.write(encodable: value)
        return json.bytes
    }

    /// Whether a payload is a JSON object.
    package static func isObject(_ payload: [UInt8]) -> Bool {
        (try? JSONPart(payload))?.isObject ?? false
    }

    /// Whether a payload is a JSON object or `null`, and not anything else, such as two values, an object
    /// with a name twice, text that is not UTF-8, or a list. It can be a part of another JSON text as it is.
    package static func isObjectOrNull(_ payload: [UInt8]) -> Bool { (try? objectOrNull(payload)) != nil }

    /// A payload that is a JSON object or `null`, decoded and encoded anew in one line; nil if it is anything
    /// else, as for ``isObjectOrNull(_:)``.
    package static func reencoded(_ payload: [UInt8]) -> [UInt8]? {
        guard let part = try? objectOrNull(payload) else { return nil }
        var json = JSONText(capacity: payload.count)
        json.write(part)
        return json.bytes
    }

    private static func objectOrNull(_ payload: [UInt8]) throws(CommandError) -> JSONPart? {
        let part = try JSONPart(payload)
        switch part.kind {
        case .object, .null: return part
        case .list, .text, .integer, .real, .flag: return nil
        }
    }

    /// A message from bytes, or nil where they aren't one.
    package static func value<Message: Decodable>(_ type: Message.Type, from bytes: [UInt8]) -> Message? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }
}

extension Double {
    /// As precise as a controller can use: to a millionth.
    package var forMessages: Double { isFinite ? (self * 1e6).rounded() / 1e6 : self }
}

extension String {
    /// The first scalars of a text, for messages. Scalars, because a single character may have any number of
    /// accents.
    package func beginning(_ count: Int) -> String { String(Substring(unicodeScalars.prefix(count))) }

    /// Its end, of at most so many bytes.
    package func ending(_ bytes: Int) -> String {
        var start = unicodeScalars.endIndex
        var room = bytes
        while start > unicodeScalars.startIndex {
            let before = unicodeScalars.index(before: start)
            room -= UTF8.width(unicodeScalars[before])
            if room < 0 { break }
            start = before
        }
        return String(unicodeScalars[start...])
    }
}

extension [String] {
    /// The first names for a message, and how many there are besides. An answer is short, however many there
    /// are.
    package func listed(atMost count: Int) -> String {
        let names = prefix(count).joined(separator: ", ")
        return self.count > count ? "\(names) and \(self.count - count) more" : names
    }
}
