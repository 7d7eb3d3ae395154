/// A JSON value: what was read, or what is to be written.
package enum JSON: Hashable, Sendable {
    case null
    case flag(Bool)
    /// A number without fraction and exponent.
    case integer(Int)
    case number(Double)
    case text(String)
    case list([JSON])
    case object(JSONObject)

    package var text: String? { if case .text(let value) = self { value } else { nil } }
    package var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    package var list: [JSON]? { if case .list(let value) = self { value } else { nil } }
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

/// The members of an object, in the order in which they came or were added. Each name is there once.
///
/// Objects with the same members are equal, whatever their order is.
package struct JSONObject: Sendable {
    package struct Member: Hashable, Sendable {
        package let name: String
        package var value: JSON
    }

    package private(set) var members: [Member] = []

    package init() {}

    /// - Parameter members: no name is there twice.
    init(members: [Member]) { self.members = members }

    /// - Parameter values: no name is there twice.
    package init(distinct values: some Sequence<(String, JSON)>) {
        members = values.map { Member(name: $0.0, value: $0.1) }
    }

    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }
    package var names: [String] { members.map(\.name) }

    /// Compares the name with each; see ``index`` for objects of any size.
    package subscript(name: String) -> JSON? {
        get { place(of: name).map { members[$0].value } }
        set {
            switch (place(of: name), newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Changes a value in its place. One that is absent is `null` at first.
    package mutating func change(_ name: String, _ body: (inout JSON) -> Void) {
        if self[name] == nil { self[name] = .null }
        if let place = place(of: name) { body(&members[place].value) }
    }

    func place(of name: String) -> Int? {
        // Most names have another length, which is known without a call.
        members.firstIndex { $0.name.utf8.count == name.utf8.count && $0.name == name }
    }

    /// The values by name, to look up many.
    package var index: [String: JSON] {
        Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Members whose value is nil are left out. Of a name that is there twice the last value counts.
    package init(dictionaryLiteral elements: (String, JSON?)...) {
        for (name, value) in elements { self[name] = value }
    }
}

extension JSONObject: Hashable {
    package static func == (one: JSONObject, other: JSONObject) -> Bool {
        guard one.count == other.count else { return false }
        var index: [String: JSON]?
        for (member, peer) in zip(one.members, other.members) {
            if member.name == peer.name {
                guard member.value == peer.value else { return false }
            } else {
                let values = index ?? other.index
                index = values
                guard values[member.name] == member.value else { return false }
            }
        }
        return true
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(members.reduce(0) { $0 ^ $1.hashValue })
    }
}

// MARK: Bytes

extension JSON {
    /// Reads a payload; nil if it is not valid JSON.
    package init?(_ payload: [UInt8]) { try? self.init(reading: payload) }

    /// Reads a payload, which is to be one JSON value of any kind.
    ///
    /// - Throws: `badPayload`, with the place and what is wrong there.
    package init(reading payload: [UInt8], within bounds: JSONBounds = .any) throws(CommandError) {
        self = try JSONReader.read(payload, within: bounds)
    }

    /// A message of an agent of any version, or nil where the bytes aren't one.
    package static func value<Message: FieldValue>(_ type: Message.Type, from bytes: [UInt8]) -> Message?
    where Message.Rule == AnyRule {
        JSON(bytes).flatMap { try? Message.read($0, .any, .lenient) }
    }

    /// Whether a payload is a JSON object.
    package static func isObject(_ payload: [UInt8]) -> Bool { JSON(payload)?.object != nil }

    /// A payload that is a JSON object or `null`; nil if it is anything else, such as two values, an object
    /// with a name twice, text that is not UTF-8, or a list. The payload can be a part of another JSON text
    /// as it is.
    package static func objectOrNull(_ payload: [UInt8]) -> JSON? {
        let value = JSON(payload)
        return value == .null || value?.object != nil ? value : nil
    }

    /// The bytes of a form or a tree. Fields are in the order of the declaration, those that are nil are left
    /// out, and numbers that JSON does not have become null.
    package static func bytes<Value: FieldValue>(_ value: Value) -> [UInt8]
    where Value.Rule == AnyRule {
        var json = JSONWriter()
        value.write(.any, to: &json)
        return json.bytes
    }

    /// The bytes of a form that is to be read again.
    ///
    /// - Throws: `internal` for a number that JSON does not have.
    package static func exactBytes(_ form: some Form) throws(CommandError) -> [UInt8] {
        var json = JSONWriter()
        form.write(.any, to: &json)
        guard !json.hasNonFinite else { throw CommandError(.internal, "A number is not finite.") }
        return json.bytes
    }

    /// A tree as JSON that is the same for equal values.
    package static func canonicalBytes(_ tree: JSON) -> [UInt8] {
        var json = JSONWriter()
        json.write(tree, isCanonical: true)
        return json.bytes
    }
}

extension JSON {
    /// What it is, in words.
    var words: String {
        switch self {
        case .object: "an object"
        case .list: "a list"
        case .text(let text): "\"\(text.beginning(40))\""
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .null: "null"
        }
    }
}
