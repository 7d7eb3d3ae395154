internal import FoundationEssentials

/// A JSON value of any kind, for documents that are merged without knowledge of their fields.
package indirect enum JSONTree: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONTree])
    case object([String: JSONTree])

    /// The JSON form of a value.
    ///
    /// - Throws: the errors of `JSONEncoder`, e.g. for a number that isn't finite.
    package init(encoding value: some Encodable) throws {
        switch value {
        case let value as Int: self = .integer(value)
        case let value as String: self = .string(value)
        // The zoom changes often: its numbers need no encoder. A whole number is an integer, as in JSON.
        case let value as Double where value.isFinite:
            self = value == value.rounded() && abs(value) < 1e15 ? .integer(Int(value)) : .number(value)
        // Encoders of some versions refuse a bare number or string, so a value is encoded inside an array.
        default: self = try JSONDecoder().decode([JSONTree].self, from: JSONEncoder().encode([value]))[0]
        }
    }

    /// The value as a type that can be decoded.
    ///
    /// - Throws: the errors of `JSONDecoder`.
    package func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(self))
    }
}

// MARK: Merge patches

extension JSONTree {
    /// Applies a JSON merge patch (RFC 7386): members of objects replace or join those that are there, `null`
    /// removes one, and any other value replaces the whole.
    package mutating func merge(_ patch: JSONTree) {
        guard case .object(let changes) = patch else {
            self = patch
            return
        }
        var members: [String: JSONTree] = [:]
        if case .object(let present) = self { members = present }
        for (name, change) in changes {
            if change == .null {
                members[name] = nil
            } else {
                members[name, default: .null].merge(change)
            }
        }
        self = .object(members)
    }

    /// The merge patch that makes this value the other; nil: they are equal.
    ///
    /// A member that is `null` can't be told from one that is absent (RFC 7386); documents omit such members.
    package func patch(to other: JSONTree) -> JSONTree? {
        if self == other { return nil }
        guard case .object(let before) = self, case .object(let after) = other else { return other }
        var changes: [String: JSONTree] = [:]
        for name in before.keys where after[name] == nil { changes[name] = .null }
        for (name, value) in after {
            guard let old = before[name] else {
                changes[name] = value
                continue
            }
            if let change = old.patch(to: value) { changes[name] = change }
        }
        return .object(changes)
    }
}

// MARK: Codable

extension JSONTree: Codable {
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSONTree].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONTree].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}
