internal import FoundationEssentials

/// Any JSON value, for tests that compare messages or look at single fields: `message["origin"]["kind"] ==
/// "command"`.
package enum JSONValue: Sendable, Equatable, Codable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([JSONValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number):
            if let whole = Int(exactly: number) {
                try container.encode(whole)
            } else {
                try container.encode(number)
            }
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }

    /// - Parameter bytes: JSON; anything else becomes ``null``.
    package init(_ bytes: [UInt8]) {
        self = (try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))) ?? .null
    }

    /// A field of an object; `null` where there is none.
    package subscript(_ name: String) -> JSONValue {
        if case .object(let fields) = self { fields[name] ?? .null } else { .null }
    }

    /// An element of a list; `null` where there is none.
    package subscript(_ index: Int) -> JSONValue {
        if case .list(let list) = self, list.indices.contains(index) { list[index] } else { .null }
    }

    package var number: Double? { if case .number(let number) = self { number } else { nil } }
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    package var list: [JSONValue] { if case .list(let list) = self { list } else { [] } }
    package var fields: [String: JSONValue] { if case .object(let fields) = self { fields } else { [:] } }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral flag: Bool) { self = .flag(flag) }
    package init(integerLiteral number: Int) { self = .number(Double(number)) }
    package init(floatLiteral number: Double) { self = .number(number) }
    package init(stringLiteral text: String) { self = .text(text) }
    package init(arrayLiteral elements: JSONValue...) { self = .list(elements) }
    package init(dictionaryLiteral fields: (String, JSONValue)...) {
        self = .object(Dictionary(fields) { $1 })
    }
}
