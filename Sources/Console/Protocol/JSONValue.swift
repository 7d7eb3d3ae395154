package import Messages

/// A JSON value whose form is known only to its receiver: the payload of a command of a page.
package indirect enum JSONValue: Codable, Hashable, Sendable {
    case null
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .flag(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    var text: String? { if case .text(let value) = self { value } else { nil } }
    var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }
    var list: [JSONValue]? { if case .list(let value) = self { value } else { nil } }
    var flag: Bool? { if case .flag(let value) = self { value } else { nil } }
}

extension JSONValue: JSONTree {
    package init(_ part: JSONNode<JSONValue>) {
        switch part {
        case .null: self = .null
        case .flag(let value): self = .flag(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .text(let value): self = .text(value)
        case .list(let values): self = .list(values)
        case .object(let fields): self = .object(fields)
        }
    }

    var integer: Int? { if case .integer(let value) = self { value } else { nil } }

    /// A number of any form.
    var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .flag, .text, .list, .object: nil
        }
    }
}
