internal import FoundationEssentials

extension JSONTree {
    /// The value as JSON text, with the members of objects in order. Written without `JSONEncoder`, which
    /// takes longer for the line of a zoom than all the rest of its storage.
    ///
    /// - Throws: the errors of `JSONEncoder`, for text that needs escapes.
    func write(to text: inout [UInt8]) throws {
        switch self {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let value): text += String(value).utf8
        case .number(let value):
            // A number that isn't finite has no JSON form: the encoder throws.
            if value.isFinite {
                text += value.description.utf8
            } else {
                text += try JSONEncoder().encode(value)
            }
        case .string(let value): try Self.write(value, to: &text)
        case .array(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                try value.write(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .object(let members):
            text.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                try Self.write(member.key, to: &text)
                text.append(UInt8(ascii: ":"))
                try member.value.write(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to text: inout [UInt8]) throws {
        let isPlain = string.utf8.allSatisfy {
            0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard isPlain else {
            // Encoders of some versions refuse a bare string.
            let encoded = try JSONEncoder().encode([string])
            text += encoded.dropFirst().dropLast()
            return
        }
        text.append(UInt8(ascii: "\""))
        text += string.utf8
        text.append(UInt8(ascii: "\""))
    }
}
