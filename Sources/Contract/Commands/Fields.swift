internal import FoundationEssentials

/// The fields of a JSON object, read strictly: each has its type and range, and a field that was not read is
/// an error.
struct Fields {
    private let object: JSONObject
    /// The names of the objects around this one, each followed by a dot.
    private let prefix: String
    /// Which fields were read: a bit for each, as a command has at most so many.
    private var read: UInt64 = 0

    /// - Throws: `badPayload` when the part isn't an object.
    init(_ part: JSON, prefix: String = "") throws(CommandError) {
        guard case .object(let object) = part else {
            throw CommandError(.badPayload, "A command is a JSON object; found \(part.words).")
        }
        (self.object, self.prefix) = (object, prefix)
    }

    /// Whether there are fields that were not read yet.
    private var hasMore: Bool { object.count > read.nonzeroBitCount }

    /// The fields that were not read yet.
    var remaining: [String] {
        object.members.indices.filter { read & 1 << $0 == 0 }.map { object.members[$0].name }
    }

    /// A number, without bounds, or nil where the field isn't there.
    mutating func number(_ name: String) throws(CommandError) -> Double? {
        guard let part = take(name) else { return nil }
        guard let number = part.number else { throw wrong(name, "a number", found: part.words) }
        return number
    }

    /// A number above zero.
    mutating func positive(_ name: String) throws(CommandError) -> Double? {
        guard let part = take(name) else { return nil }
        guard let number = part.number, number > 0 else {
            throw wrong(name, "a number above 0", found: part.words)
        }
        return number
    }

    /// A number in a range.
    mutating func number(_ name: String, in range: ClosedRange<Double>) throws(CommandError) -> Double? {
        guard let part = take(name) else { return nil }
        guard let number = part.number, range.contains(number) else {
            let (least, most) = (range.lowerBound.shortText, range.upperBound.shortText)
            throw wrong(name, "a number from \(least) to \(most)", found: part.words)
        }
        return number
    }

    /// A whole number in a range.
    mutating func integer(_ name: String, in range: ClosedRange<Int>) throws(CommandError) -> Int? {
        guard let part = take(name) else { return nil }
        switch part {
        case .integer(let number) where range.contains(number): return number
        case .number(let number):
            // 2.0 is a whole number too: some senders know no other.
            if let whole = Int(exactly: number), range.contains(whole) { return whole }
        default: break
        }
        let expected =
            range.upperBound == .max
            ? "a whole number from \(range.lowerBound)"
            : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        throw wrong(name, expected, found: part.words)
    }

    mutating func bool(_ name: String) throws(CommandError) -> Bool? {
        guard let part = take(name) else { return nil }
        guard case .flag(let flag) = part else { throw wrong(name, "true or false", found: part.words) }
        return flag
    }

    /// A text of 1 to so many bytes.
    mutating func text(_ name: String, atMost bytes: Int) throws(CommandError) -> String? {
        guard let part = take(name) else { return nil }
        guard case .text(let text) = part else {
            throw wrong(name, "a text of 1 to \(bytes) bytes", found: part.words)
        }
        guard (1...bytes).contains(text.utf8.count) else {
            throw wrong(name, "a text of 1 to \(bytes) bytes", found: "\(text.utf8.count) bytes")
        }
        return text
    }

    /// A time as RFC 3339 has it.
    mutating func time(_ name: String) throws(CommandError) -> Date? {
        guard let text = try text(name, atMost: 64) else { return nil }
        guard let date = Timestamp.date(text) else {
            throw wrong(name, "a time such as 2026-01-31T12:00:00Z", found: "\"\(text)\"")
        }
        return date
    }

    /// A text of 1 to so many bytes, or a whole number, as its digits.
    mutating func name(_ name: String, atMost bytes: Int) throws(CommandError) -> String? {
        if case .integer(let number)? = object[name] {
            _ = take(name)
            return String(number)
        }
        return try text(name, atMost: bytes)
    }

    /// A list of objects, each of whose fields `body` reads.
    mutating func list<Value>(
        _ name: String, atMost count: Int, _ body: (inout Fields) throws(CommandError) -> Value
    ) throws(CommandError) -> [Value]? {
        guard let part = take(name) else { return nil }
        let expected = "a list of at most \(count) objects"
        guard case .list(let elements) = part else { throw wrong(name, expected, found: part.words) }
        guard elements.count <= count else { throw wrong(name, expected, found: "\(elements.count)") }
        var values: [Value] = []
        for (place, element) in elements.enumerated() {
            guard case .object = element else { throw wrong(name, expected, found: element.words) }
            var inner = try Fields(element, prefix: "\(prefix)\(name).\(place).")
            values.append(try body(&inner))
            try inner.refuseOthers()
        }
        return values
    }

    /// A text, or a list of one or more; each of 1 to so many bytes.
    mutating func texts(_ name: String, atMost count: Int, bytes: Int) throws(CommandError) -> [String]? {
        guard case .list(let elements)? = object[name] else {
            return try text(name, atMost: bytes).map { [$0] }
        }
        _ = take(name)
        let expected = "a text, or a list of 1 to \(count) texts, each of 1 to \(bytes) bytes"
        guard (1...count).contains(elements.count) else {
            throw wrong(name, expected, found: "\(elements.count)")
        }
        var texts: [String] = []
        for element in elements {
            guard case .text(let text) = element, (1...bytes).contains(text.utf8.count) else {
                throw wrong(name, expected, found: element.words)
            }
            texts.append(text)
        }
        return texts
    }

    /// One of a few words.
    mutating func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, of type: Word.Type
    ) throws(CommandError) -> Word? where Word.RawValue == String {
        guard let part = take(name) else { return nil }
        if case .text(let text) = part, let word = Word(rawValue: text) { return word }
        let expected = "one of " + Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        throw wrong(name, expected, found: part.words)
    }

    /// The value of a control, whatever its kind.
    mutating func controlValue(_ name: String) throws(CommandError) -> ControlValue? {
        guard let part = take(name) else { return nil }
        if case .flag(let flag) = part { return .flag(flag) }
        guard let number = part.number else {
            throw wrong(name, "a number, true or false", found: part.words)
        }
        return .number(number)
    }

    /// An object, whose own fields `body` reads; what it doesn't read is an error.
    mutating func object<Value>(
        _ name: String, _ body: (inout Fields) throws(CommandError) -> Value
    ) throws(CommandError) -> Value? {
        guard let part = take(name) else { return nil }
        guard case .object = part else { throw wrong(name, "an object", found: part.words) }
        var inner = try Fields(part, prefix: prefix + name + ".")
        let value = try body(&inner)
        try inner.refuseOthers()
        return value
    }

    /// Some of these fields as they came, as JSON that is the same for equal values.
    func canonicalBytes(of names: [String]) -> [UInt8] {
        var values = JSONObject()
        for name in names { values[name] = object[name] }
        return JSON.canonicalBytes(.object(values))
    }

    /// Refuses fields that are allowed only beside another one.
    func refuse(_ names: String..., because reason: String) throws(CommandError) {
        for name in names where object[name] != nil { throw error(name, reason) }
    }

    /// Refuses fields that were not read.
    func refuseOthers() throws(CommandError) {
        // Names are compared only if a field was not read: this runs for each of thousands of commands.
        guard hasMore, let name = remaining.first else { return }
        throw error(name, "unknown field.")
    }

    /// An error about one of these fields. Of a long unknown name it contains the beginning.
    func error(_ name: String, _ message: String) -> CommandError {
        let field = prefix + name.beginning(64)
        return CommandError(.badPayload, "\(field): \(message)", field: field)
    }

    func wrong(_ name: String, _ expected: String, found: String) -> CommandError {
        error(name, "expected \(expected), found \(found).")
    }

    private mutating func take(_ name: String) -> JSON? {
        // Most commands have few of the fields that they may have.
        guard hasMore, let place = object.place(of: name) else { return nil }
        read |= 1 << place
        return object.members[place].value
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
