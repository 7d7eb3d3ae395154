/// A JSON value whose form is known only to its receiver, such as the payload of a command that is passed on.
package indirect enum JSONTree: Hashable, Sendable {
    case null
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    /// The largest number of objects and lists around a value.
    package static let maxDepth = 16

    /// Reads a text; nil if it is no valid JSON, has a name twice in one object, or is deeper than
    /// ``maxDepth``.
    ///
    /// It takes a fraction of the time of ``JSON/value(_:from:)``.
    package init?(_ text: [UInt8]) {
        guard let part = try? JSONPart(text) else { return nil }
        self.init(part)
    }

    /// Reads a text by the same rules.
    ///
    /// - Throws: `badPayload`, with the place and what is wrong there.
    package init(reading text: [UInt8]) throws(CommandError) {
        guard let tree = JSONTree(try JSONPart(text)) else {
            throw CommandError(
                .badPayload, "The payload has objects or lists in more than \(Self.maxDepth) levels.")
        }
        self = tree
    }

    /// A part of a text; nil if it is deeper than ``maxDepth``.
    init?(_ part: JSONPart, depth: Int = 0) {
        guard depth <= Self.maxDepth else { return nil }
        switch part.kind {
        case .null: self = .null
        case .flag(let flag): self = .flag(flag)
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .number(number)
        case .text(let text): self = .text(text)
        case .list:
            var values: [JSONTree] = []
            for element in part.elements {
                guard let value = JSONTree(element, depth: depth + 1) else { return nil }
                values.append(value)
            }
            self = .list(values)
        case .object:
            var fields: [String: JSONTree] = [:]
            for (name, field) in part.fields {
                guard let value = JSONTree(field, depth: depth + 1) else { return nil }
                fields[name] = value
            }
            self = .object(fields)
        }
    }

    /// - Parameter isCanonical: whether equal values give the same text: fields are in the order of their
    ///   names, and whole numbers have no fraction.
    fileprivate func write(to json: inout JSONText, isCanonical: Bool = false) {
        switch self {
        case .null: json.writeNull()
        case .flag(let flag): json.write(flag)
        case .integer(let number): json.write(number)
        case .number(let number):
            if isCanonical, let whole = Int(exactly: number) { json.write(whole) } else { json.write(number) }
        case .text(let text): json.write(text)
        case .list(let values):
            json.beginList()
            for value in values {
                json.separate()
                value.write(to: &json, isCanonical: isCanonical)
            }
            json.endList()
        case .object(let fields):
            json.beginObject()
            let names = isCanonical ? fields.keys.sorted() : Array(fields.keys)
            for name in names {
                json.key(name)
                fields[name]?.write(to: &json, isCanonical: isCanonical)
            }
            json.endObject()
        }
    }
}

extension JSONTree {
    package var text: String? { if case .text(let value) = self { value } else { nil } }
    package var object: [String: JSONTree]? { if case .object(let value) = self { value } else { nil } }
    package var list: [JSONTree]? { if case .list(let value) = self { value } else { nil } }
    package var flag: Bool? { if case .flag(let value) = self { value } else { nil } }
    package var integer: Int? { if case .integer(let value) = self { value } else { nil } }

    /// A number of any form.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .flag, .text, .list, .object: nil
        }
    }
}

extension JSON {
    /// A tree as JSON. The order of fields is not kept.
    package static func bytes(_ tree: JSONTree) -> [UInt8] {
        var json = JSONText()
        tree.write(to: &json)
        return json.bytes
    }

    /// A tree as JSON that is the same for equal values, for a digest of it.
    static func canonicalBytes(_ tree: JSONTree) -> [UInt8] {
        var json = JSONText()
        tree.write(to: &json, isCanonical: true)
        return json.bytes
    }
}
