/// A small JSON object whose values are texts, numbers, `true`, `false`, `null`, and objects of these: most
/// commands, the samples of a pinch with their anchor, and the commands of a page in their envelope.
///
/// Jansson needs eight times as many instructions for such an object, to allocate a tree and to free it. So
/// what is simple is read here, and all else is left to Jansson: lists, objects three levels inside, escapes,
/// texts that are not ASCII, long numbers, and whatever is not valid. Jansson reads what is read here as the
/// same (`SmallObjectTests`).
package struct SmallObject {
    private struct Member {
        let name: Range<Int>
        let value: JSONPart
    }

    private static let maxBytes = 1024
    /// Each name is compared with all names before it.
    private static let maxMembers = 16
    /// Objects around a value, without the outermost.
    private static let maxDepth = 2

    private let payload: [UInt8]
    private let members: [Member]

    /// Reads a payload; nil: it is for Jansson.
    package init?(_ payload: [UInt8]) {
        guard payload.count <= Self.maxBytes else { return nil }
        var scanner = SmallScanner(bytes: payload)
        self.init(&scanner, depth: 0)
        guard scanner.isAtEnd else { return nil }
    }

    /// Reads an object, and leaves the scanner behind it.
    private init?(_ scanner: inout SmallScanner, depth: Int) {
        var members: [Member] = []
        members.reserveCapacity(depth == 0 ? 8 : 2)
        guard scanner.take("{") else { return nil }
        if !scanner.take("}") {
            repeat {
                guard members.count < Self.maxMembers, let name = scanner.text(), scanner.take(":"),
                    let value = Self.value(&scanner, depth: depth),
                    !members.contains(where: { scanner.isSame($0.name, name) })
                else { return nil }
                members.append(Member(name: name, value: value))
            } while scanner.take(",")
            guard scanner.take("}") else { return nil }
        }
        (payload, self.members) = (scanner.bytes, members)
    }

    /// - Parameter depth: of the object that has the value.
    private static func value(_ scanner: inout SmallScanner, depth: Int) -> JSONPart? {
        // By its first character: a scanner that found no scalar may have gone past the beginning of one.
        guard scanner.isAt("{") else { return scanner.value().map { .scalar($0) } }
        guard depth < maxDepth else { return nil }
        return SmallObject(&scanner, depth: depth + 1).map { .small($0) }
    }

    var count: Int { members.count }

    /// The names of the fields, as they came.
    var names: [String] { members.map { String(decoding: payload[$0.name], as: UTF8.self) } }

    /// The fields, as they came.
    var fields: [(name: String, value: JSONPart)] {
        members.map { (String(decoding: payload[$0.name], as: UTF8.self), $0.value) }
    }

    subscript(name: String) -> JSONPart? {
        let place = name.utf8.withContiguousStorageIfAvailable { name in
            // By index: an element that is passed to a closure is copied.
            members.indices.first { isName(of: $0, name) }
        }
        return (place ?? nil).map { members[$0].value }
    }

    /// Whether these bytes are the name of a field.
    private func isName(of member: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let place = members[member].name
        guard place.count == name.count else { return false }
        for index in name.indices where payload[place.lowerBound + index] != name[index] { return false }
        return true
    }
}

/// Reads the parts of a ``SmallObject`` one after the other. White space is allowed before each.
private struct SmallScanner {
    /// Integers of so many digits are exact as `Double`, and so is their quotient with a power of ten of as
    /// many digits, rounded once.
    private static let maxDigits = 15

    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The next byte; zero, which no JSON contains, at the end.
    private var next: UInt8 { place < bytes.count ? bytes[place] : 0 }

    private mutating func skipSpace() { while next.isJSONSpace { place += 1 } }

    /// Whether the same bytes are at two places.
    func isSame(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        guard a.count == b.count else { return false }
        for index in 0..<a.count where bytes[a.lowerBound + index] != bytes[b.lowerBound + index] {
            return false
        }
        return true
    }

    /// Whether nothing but white space follows.
    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return place == bytes.count
        }
    }

    /// Whether a character is the next one.
    mutating func isAt(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        return next == UInt8(ascii: character)
    }

    /// Goes past a character, if it is the next one.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard isAt(character) else { return false }
        place += 1
        return true
    }

    /// A text of ASCII characters without escapes: where it is between its quotation marks.
    mutating func text() -> Range<Int>? {
        guard take("\"") else { return nil }
        let start = place
        while next != UInt8(ascii: "\"") {
            guard (0x20...0x7F).contains(next), next != UInt8(ascii: "\\") else { return nil }
            place += 1
        }
        place += 1
        return start..<place - 1
    }

    /// A value that is neither an object nor a list.
    mutating func value() -> JSONPart.Kind? {
        skipSpace()
        switch next {
        case UInt8(ascii: "\""): return text().map { .text(String(decoding: bytes[$0], as: UTF8.self)) }
        case UInt8(ascii: "t"): return take(word: "true") ? .flag(true) : nil
        case UInt8(ascii: "f"): return take(word: "false") ? .flag(false) : nil
        case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
        default: return number()
        }
    }

    private mutating func take(word: String) -> Bool {
        guard bytes[place...].starts(with: word.utf8) else { return false }
        place += word.utf8.count
        return true
    }

    /// A number without an exponent.
    private mutating func number() -> JSONPart.Kind? {
        let isNegative = take("-")
        let first = next
        var number = 0
        guard let whole = digits(&number, atMost: Self.maxDigits), whole == 1 || first != UInt8(ascii: "0")
        else { return nil }
        guard next == UInt8(ascii: ".") else { return .integer(isNegative ? -number : number) }
        place += 1
        guard let fraction = digits(&number, atMost: Self.maxDigits - whole) else { return nil }
        var divisor = 1.0
        for _ in 0..<fraction { divisor *= 10 }
        let real = Double(number) / divisor
        return .real(isNegative ? -real : real)
    }

    /// Appends decimal digits to a number. Returns how many there were; nil: none, or too many.
    private mutating func digits(_ number: inout Int, atMost most: Int) -> Int? {
        let start = place
        while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
            guard place - start < most else { return nil }
            number = number * 10 + Int(next - UInt8(ascii: "0"))
            place += 1
        }
        return place > start ? place - start : nil
    }
}
