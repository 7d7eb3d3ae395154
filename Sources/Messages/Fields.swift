internal import FoundationEssentials

/// The fields of a JSON object, read strictly: each has its type and range, and what nobody asked for is an error.
struct Fields {
    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Key>
    /// The names of the objects around this one, each followed by a dot.
    private let prefix: String
    private var unread: Set<String>

    init(_ decoder: any Decoder, prefix: String = "") throws {
        self.init(try decoder.container(keyedBy: Key.self), prefix: prefix)
    }

    private init(_ container: KeyedDecodingContainer<Key>, prefix: String) {
        self.container = container
        self.prefix = prefix
        unread = Set(container.allKeys.map(\.stringValue))
    }

    /// The fields that nobody has read yet.
    var remaining: [String] { unread.sorted() }

    /// A number, without bounds, or nil where the field isn't there.
    mutating func number(_ name: String) throws(CommandError) -> Double? {
        try read(Double.self, name, as: "a number")
    }

    /// A number above zero.
    mutating func positive(_ name: String) throws(CommandError) -> Double? {
        guard let value = try number(name) else { return nil }
        guard value > 0 else { throw wrong(name, "a number above 0", found: "\(value)") }
        return value
    }

    /// A whole number in a range.
    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(CommandError) -> Int? {
        let expected =
            range.upperBound == .max
            ? "a whole number from \(range.lowerBound)"
            : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let value = try read(Int.self, name, as: expected) else { return nil }
        guard range.contains(value) else { throw wrong(name, expected, found: "\(value)") }
        return value
    }

    mutating func bool(_ name: String) throws(CommandError) -> Bool? {
        try read(Bool.self, name, as: "true or false")
    }

    /// A text of 1 to so many bytes.
    mutating func text(_ name: String, atMost bytes: Int) throws(CommandError) -> String? {
        let expected = "a text of 1 to \(bytes) bytes"
        guard let value = try read(String.self, name, as: expected) else { return nil }
        guard (1...bytes).contains(value.utf8.count) else {
            throw wrong(name, expected, found: "\(value.utf8.count) bytes")
        }
        return value
    }

    /// One of a few words.
    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, of type: Word.Type
    ) throws(CommandError) -> Word? where Word.RawValue == String {
        let expected = "one of " + Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        guard let text = try read(String.self, name, as: expected) else { return nil }
        guard let word = Word(rawValue: text) else { throw wrong(name, expected, found: "\"\(text.prefix(40))\"") }
        return word
    }

    /// An object, whose own fields `body` reads; what it doesn't read is an error.
    mutating func object<Value>(
        _ name: String, _ body: (inout Fields) throws(CommandError) -> Value
    ) throws(CommandError) -> Value? {
        guard unread.remove(name) != nil else { return nil }
        var inner: Fields
        do {
            inner = Fields(
                try container.nestedContainer(keyedBy: Key.self, forKey: Key(name)), prefix: prefix + name + ".")
        } catch {
            throw wrong(name, "an object", found: kind(of: name))
        }
        let value = try body(&inner)
        try inner.refuseOthers()
        return value
    }

    /// Refuses what nobody has read.
    func refuseOthers() throws(CommandError) {
        guard let name = unread.min() else { return }
        throw CommandError(
            .badPayload, "\(prefix)\(name.prefix(64)): there is no such field here.",
            field: prefix + name.prefix(64))
    }

    /// Takes the rest as read.
    mutating func ignoreOthers() {
        unread = []
    }

    /// An error about one of these fields.
    func error(_ name: String, _ message: String) -> CommandError {
        CommandError(.badPayload, "\(prefix)\(name): \(message)", field: prefix + name)
    }

    func wrong(_ name: String, _ expected: String, found: String) -> CommandError {
        error(name, "expected \(expected), found \(found).")
    }

    mutating func read<Value: Decodable>(
        _ type: Value.Type, _ name: String, as expected: String
    ) throws(CommandError) -> Value? {
        guard unread.remove(name) != nil else { return nil }
        do {
            return try container.decode(type, forKey: Key(name))
        } catch {
            throw wrong(name, expected, found: kind(of: name))
        }
    }

    /// What stands in a field that isn't what it ought to be.
    private func kind(of name: String) -> String {
        let key = Key(name)
        if (try? container.decodeNil(forKey: key)) == true { return "null" }
        if let text = try? container.decode(String.self, forKey: key) { return "\"\(text.prefix(40))\"" }
        if let flag = try? container.decode(Bool.self, forKey: key) { return "\(flag)" }
        if let number = try? container.decode(Double.self, forKey: key) { return "\(number)" }
        if (try? container.nestedUnkeyedContainer(forKey: key)) != nil { return "a list" }
        if (try? container.nestedContainer(keyedBy: Key.self, forKey: key)) != nil { return "an object" }
        return "a number that is out of range"
    }
}
