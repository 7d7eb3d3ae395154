extension JSON {
    /// The bytes of a value, with its fields in the order in which it encodes them. Fields that are nil are
    /// left out, and numbers that JSON does not have become null.
    package static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoding = JSONEncoding()
        // It takes every value, and our own ones don't throw.
        try? encoding.write(value)
        return encoding.json.bytes
    }

    package static func bytes<Message: FieldValue>(_ message: Message) -> [UInt8]
    where Message.Rule == AnyRule {
        var json = JSONWriter()
        message.write(.any, to: &json)
        return json.bytes
    }

    package static func bytes(_ message: some CodableForm) -> [UInt8] { message.bytes }

    /// The bytes of a value that is to be read again.
    ///
    /// - Throws: what the value throws, and `EncodingError` for a number that JSON does not have.
    package static func exactBytes(_ value: some Encodable) throws -> [UInt8] {
        let encoding = JSONEncoding()
        try encoding.write(value)
        guard !encoding.json.hasNonFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "a number is not finite"))
        }
        return encoding.json.bytes
    }

    package static func bytes(_ tree: JSON) -> [UInt8] {
        var json = JSONWriter()
        json.write(tree)
        return json.bytes
    }

    /// A tree as JSON that is the same for equal values.
    package static func canonicalBytes(_ tree: JSON) -> [UInt8] {
        var json = JSONWriter()
        json.write(tree, isCanonical: true)
        return json.bytes
    }
}

/// For a tree as a part of other values.
extension JSON: Encodable {
    package func encode(to encoder: any Encoder) throws {
        guard let encoding = encoder as? JSONEncoding else { throw JSONEncoding.isMissing(encoder, self) }
        encoding.json.write(self)
    }
}

/// Where `Encodable` values put their parts, which are written at once, in the order in which they come. So a
/// container that is nested by hand can't be kept open beside its parent; none of our values does that.
final class JSONEncoding: Encoder {
    // Each part is written by one call, which calls nothing that writes: the check whether it is being
    // written already would take a fifth of the time.
    @exclusivity(unchecked) var json = JSONWriter()
    /// The brackets that end the objects and lists which are being written.
    @exclusivity(unchecked) private var ends: [Unicode.Scalar] = []
    /// How many there were before the value that is being written.
    @exclusivity(unchecked) private var outer = 0

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Why a value that is written by ``JSONWriter`` alone can't be encoded.
    static func isMissing(_ encoder: any Encoder, _ value: Any) -> EncodingError {
        .invalidValue(value, .init(codingPath: encoder.codingPath, debugDescription: "it is only for JSON"))
    }

    func write(_ value: some Encodable) throws {
        let before = outer
        outer = ends.count
        try value.encode(to: self)
        while ends.count > outer { json.bracket(ends.removeLast()) }
        outer = before
    }

    private func begin(_ first: Unicode.Scalar, _ last: Unicode.Scalar) {
        json.bracket(first)
        ends.append(last)
    }

    /// A second call continues the same object: a value may add to the fields that a part of it has written.
    func beginObject() {
        if ends.count == outer { begin("{", "}") }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        beginObject()
        return KeyedEncodingContainer(JSONFields<Key>(encoding: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        begin("[", "]")
        return self
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

private struct JSONFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoding: JSONEncoding
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {
        encoding.json.key(key.stringValue)
        encoding.json.writeNull()
    }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        encoding.json.key(key.stringValue)
        try encoding.write(value)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoding.json.key(key.stringValue)
        return encoding.nestedContainer(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoding.json.key(key.stringValue)
        return encoding.unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoding }

    func superEncoder(forKey key: Key) -> any Encoder {
        encoding.json.key(key.stringValue)
        return encoding
    }
}

/// A value of its own, or an element of a list: in both cases the writer knows whether a comma is due.
extension JSONEncoding: SingleValueEncodingContainer, UnkeyedEncodingContainer {
    /// No value asks for it.
    var count: Int { 0 }

    func encodeNil() {
        json.separate()
        json.writeNull()
    }

    func encode(_ value: Bool) {
        json.separate()
        json.write(value)
    }

    func encode(_ value: String) {
        json.separate()
        json.write(value)
    }

    func encode(_ value: Double) {
        json.separate()
        json.write(value)
    }

    func encode(_ value: Float) { encode(Double(value)) }

    func encode(_ value: some FixedWidthInteger & Encodable) {
        json.separate()
        json.write(value)
    }

    func encode(_ value: some Encodable) throws {
        json.separate()
        try write(value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        json.separate()
        begin("{", "}")
        return KeyedEncodingContainer(JSONFields<Nested>(encoding: self))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        json.separate()
        return unkeyedContainer()
    }

    func superEncoder() -> any Encoder { self }
}
