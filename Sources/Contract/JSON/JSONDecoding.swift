extension JSON {
    /// The value as a type that can be decoded.
    ///
    /// - Throws: `DecodingError`, and what the type throws.
    package func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoding(self, at: []).decode(type)
    }
}

/// Where `Decodable` values find their parts. A number whose fraction is zero is a whole number too.
struct JSONDecoding: Decoder, SingleValueDecodingContainer {
    let json: JSON
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ json: JSON, at path: [any CodingKey]) { (self.json, codingPath) = (json, path) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(JSONMembers<Key>(try found(json.object), codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        JSONElements(try found(json.list), codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { json == .null }

    func decode(_ type: Bool.Type) throws -> Bool { try found(json.flag) }

    func decode(_ type: String.Type) throws -> String { try found(json.text) }

    func decode(_ type: Double.Type) throws -> Double { try found(json.number) }

    func decode(_ type: Float.Type) throws -> Float { try found(json.number.map { Float($0) }) }

    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value {
        if case .number(let number) = json { return try found(Value(exactly: number)) }
        return try found(json.integer.flatMap { Value(exactly: $0) })
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func found<Value>(_ value: Value?) throws -> Value {
        if let value { return value }
        throw DecodingError.typeMismatch(
            Value.self, .init(codingPath: codingPath, debugDescription: "found \(json.words)"))
    }
}

private struct JSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let object: JSONObject
    /// Of an object with many members.
    private let index: [String: JSON]?
    let codingPath: [any CodingKey]

    init(_ object: JSONObject, _ path: [any CodingKey]) {
        (self.object, codingPath) = (object, path)
        index = object.count > 32 ? object.index : nil
    }

    var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.name) } }

    private func value(_ key: Key) -> JSON? {
        if let index { index[key.stringValue] } else { object[key.stringValue] }
    }

    private func decoding(_ key: Key) throws -> JSONDecoding {
        if let value = value(key) { return JSONDecoding(value, at: codingPath + [key]) }
        throw DecodingError.keyNotFound(
            key, .init(codingPath: codingPath, debugDescription: "there is no such field"))
    }

    func contains(_ key: Key) -> Bool { value(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoding(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoding(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoding(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoding(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { JSONDecoding(.object(object), at: codingPath) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoding(key) }
}

private struct JSONElements: UnkeyedDecodingContainer {
    private let list: [JSON]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(_ list: [JSON], _ path: [any CodingKey]) { (self.list, codingPath) = (list, path) }

    var count: Int? { list.count }
    var isAtEnd: Bool { currentIndex >= list.count }

    private func decoding() throws -> JSONDecoding {
        if !isAtEnd { return JSONDecoding(list[currentIndex], at: codingPath) }
        throw DecodingError.valueNotFound(
            JSON.self, .init(codingPath: codingPath, debugDescription: "the list has no more elements"))
    }

    /// Goes on only when the element could be read.
    private mutating func next<Value>(_ read: (JSONDecoding) throws -> Value) throws -> Value {
        let value = try read(decoding())
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        let isNull = try decoding().decodeNil()
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next { element in try element.decode(type) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next { element in try element.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { element in try element.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
