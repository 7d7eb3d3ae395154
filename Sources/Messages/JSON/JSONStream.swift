/// The standard library's side of ``JSONWriter``: where an `Encodable` value puts its parts.
///
/// Values are written in the order in which they come, so a container that is nested by hand can't be kept
/// open beside its parent; none of our messages does that.
struct JSONStream: Encoder {
    private let writer: JSONWriter
    /// How many values were open when this one began.
    private let depth: Int
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(writer: JSONWriter) { (self.writer, depth) = (writer, writer.depth) }

    /// A second call returns the same object: a value may add to the fields that a part of it has written.
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if writer.depth == depth { writer.begin(.object) }
        return KeyedEncodingContainer(JSONObject<Key>(writer: writer))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.begin(.list)
        return JSONList(writer: writer)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONValue(writer: writer) }
}

private struct JSONObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: JSONWriter
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {
        writer.text.key(key.stringValue)
        writer.text.writeNull()
    }

    func encode(_ value: Bool, forKey key: Key) {
        writer.text.key(key.stringValue)
        writer.text.write(value)
    }

    func encode(_ value: String, forKey key: Key) {
        writer.text.key(key.stringValue)
        writer.text.write(value)
    }

    func encode(_ value: Double, forKey key: Key) {
        writer.text.key(key.stringValue)
        writer.text.write(value)
    }

    func encode(_ value: Int, forKey key: Key) {
        writer.text.key(key.stringValue)
        writer.text.write(value)
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        writer.text.key(key.stringValue)
        try writer.write(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        writer.text.key(key.stringValue)
        return JSONStream(writer: writer).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        writer.text.key(key.stringValue)
        return JSONStream(writer: writer).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { JSONStream(writer: writer) }

    func superEncoder(forKey key: Key) -> any Encoder {
        writer.text.key(key.stringValue)
        return JSONStream(writer: writer)
    }
}

private struct JSONList: UnkeyedEncodingContainer {
    let writer: JSONWriter
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(writer: JSONWriter) { self.writer = writer }

    mutating func encodeNil() {
        next()
        writer.text.writeNull()
    }

    mutating func encode(_ value: some Encodable) throws {
        next()
        try writer.write(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        next()
        return JSONStream(writer: writer).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        next()
        return JSONStream(writer: writer).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        next()
        return JSONStream(writer: writer)
    }

    private mutating func next() {
        writer.text.separate()
        count += 1
    }
}

private struct JSONValue: SingleValueEncodingContainer {
    let writer: JSONWriter
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { writer.text.writeNull() }
    func encode(_ value: Bool) { writer.text.write(value) }
    func encode(_ value: String) { writer.text.write(value) }
    func encode(_ value: Double) { writer.text.write(value) }
    func encode(_ value: Float) { writer.text.write(Double(value)) }
    func encode(_ value: Int) { writer.text.write(value) }
    func encode(_ value: Int8) { writer.text.write(integer: value) }
    func encode(_ value: Int16) { writer.text.write(integer: value) }
    func encode(_ value: Int32) { writer.text.write(integer: value) }
    func encode(_ value: Int64) { writer.text.write(integer: value) }
    func encode(_ value: UInt) { writer.text.write(integer: value) }
    func encode(_ value: UInt8) { writer.text.write(integer: value) }
    func encode(_ value: UInt16) { writer.text.write(integer: value) }
    func encode(_ value: UInt32) { writer.text.write(integer: value) }
    func encode(_ value: UInt64) { writer.text.write(integer: value) }
    func encode(_ value: some Encodable) throws { try writer.write(value) }
}
