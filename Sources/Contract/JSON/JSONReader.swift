/// The bounds of what is read as JSON.
package struct JSONBounds: Sendable {
    /// Objects and lists in each other.
    let levels: Int
    /// Fields of an object, or elements of a list.
    let members: Int

    /// Of a command. Those of the contract have three levels: `desired` → `zoom` → `anchor`.
    static let command = JSONBounds(levels: 4, members: 64)
    /// Of other messages, and of files.
    package static let any = JSONBounds(levels: 16, members: .max)
}

/// Reads JSON (RFC 8259) in one pass over its bytes. It refuses what JSON forbids, such as a name twice and
/// text that isn't UTF-8, and also `\u0000`; what is beyond the bounds is refused where it begins.
struct JSONReader {
    private enum Token {
        /// A bracket, a colon or a comma.
        case mark(UInt8)
        /// Anything but an object or a list.
        case value(JSON)
        case invalid
        case end

        func isMark(_ character: Unicode.Scalar) -> Bool {
            if case .mark(let mark) = self { mark == UInt8(ascii: character) } else { false }
        }
    }

    /// Integers of so many digits are exact as `Double`, and so is their quotient with a power of ten of as
    /// many digits, rounded once.
    private static let exactDigits = 15
    /// Up to so many members, a new name is compared with each.
    private static let fewMembers = 16

    private let bytes: [UInt8]
    private let bounds: JSONBounds
    /// Where the token began that was read last.
    private var start = 0
    private var place = 0
    private var level = 0

    static func read(_ bytes: [UInt8], within bounds: JSONBounds) throws(CommandError) -> JSON {
        var reader = JSONReader(bytes: bytes, bounds: bounds)
        let value = try reader.value(try reader.token())
        guard case .end = try reader.token() else { throw reader.error("end of file expected") }
        return value
    }

    private init(bytes: [UInt8], bounds: JSONBounds) { (self.bytes, self.bounds) = (bytes, bounds) }

    // MARK: Values

    private mutating func value(_ token: Token) throws(CommandError) -> JSON {
        switch token {
        case .value(let value): return value
        case .mark(UInt8(ascii: "{")): return .object(JSONObject(members: try members()))
        case .mark(UInt8(ascii: "[")): return .list(try elements())
        case .mark, .end: throw error("unexpected token")
        case .invalid: throw error("invalid token")
        }
    }

    /// The members of an object, behind its first bracket.
    private mutating func members() throws(CommandError) -> [JSONObject.Member] {
        try open()
        var members: [JSONObject.Member] = []
        var names: Set<String> = []
        var token = try token()
        while !(token.isMark("}") && members.isEmpty) {
            guard case .value(.text(let name)) = token else { throw error("string or '}' expected") }
            if members.count > Self.fewMembers {
                if names.isEmpty { names = Set(members.map(\.name)) }
                guard names.insert(name).inserted else { throw error("duplicate object key") }
            } else if members.contains(where: { $0.name == name }) {
                throw error("duplicate object key")
            }
            guard try self.token().isMark(":") else { throw error("':' expected") }
            if members.isEmpty { members.reserveCapacity(level == 1 ? 8 : 2) }
            members.append(JSONObject.Member(name: name, value: try value(try self.token())))
            token = try self.token()
            guard token.isMark(",") else { break }
            try checkCount(members.count)
            token = try self.token()
        }
        guard token.isMark("}") else { throw error("'}' expected") }
        level -= 1
        return members
    }

    /// The elements of a list, behind its first bracket.
    private mutating func elements() throws(CommandError) -> [JSON] {
        try open()
        var elements: [JSON] = []
        var token = try token()
        while !(token.isMark("]") && elements.isEmpty) {
            if case .end = token { break }
            elements.append(try value(token))
            token = try self.token()
            guard token.isMark(",") else { break }
            try checkCount(elements.count)
            token = try self.token()
        }
        guard token.isMark("]") else { throw error("']' expected") }
        level -= 1
        return elements
    }

    private mutating func open() throws(CommandError) {
        guard level < bounds.levels else {
            throw CommandError(
                .badPayload, "The payload has objects or lists in more than \(bounds.levels) levels.")
        }
        level += 1
    }

    /// - Parameter count: of the members before another one.
    private func checkCount(_ count: Int) throws(CommandError) {
        guard count < bounds.members else {
            throw CommandError(
                .badPayload,
                "The payload has an object or a list with more than \(bounds.members) fields or elements.")
        }
    }

    // MARK: Tokens

    /// The next byte; zero, which no JSON contains, at the end.
    private var next: UInt8 { place < bytes.count ? bytes[place] : 0 }

    private mutating func token() throws(CommandError) -> Token {
        while next.isJSONSpace { place += 1 }
        start = place
        let byte = next
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"),
            UInt8(ascii: ","):
            place += 1
            return .mark(byte)
        case UInt8(ascii: "\""): return .value(.text(try text()))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): return word()
        default:
            if place == bytes.count { return .end }
            try skipCharacter()
            return .invalid
        }
    }

    private mutating func word() -> Token {
        while case UInt8(ascii: "A")...UInt8(ascii: "Z") = next & 0xDF { place += 1 }
        let word = bytes[start..<place]
        if word.elementsEqual("true".utf8) { return .value(.flag(true)) }
        if word.elementsEqual("false".utf8) { return .value(.flag(false)) }
        return word.elementsEqual("null".utf8) ? .value(.null) : .invalid
    }

    private mutating func skipCharacter() throws(CommandError) {
        guard next >= 0x80 else { return place += 1 }
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes[place...].makeIterator()
        guard case .valid(let character) = parser.parseScalar(from: &rest) else {
            throw error("unable to decode byte 0x\(String(next, radix: 16))")
        }
        place += character.count
    }

    // MARK: Texts

    private mutating func text() throws(CommandError) -> String {
        place += 1
        var isEscaped = false
        skipPlain()
        while next != UInt8(ascii: "\"") {
            switch next {
            case UInt8(ascii: "\\"):
                isEscaped = true
                try skipEscape()
            case 0x80...: try skipCharacter()
            case _ where place == bytes.count: throw error("premature end of input")
            case UInt8(ascii: "\n"): throw error("unexpected newline")
            default: throw error("control character 0x\(String(next, radix: 16))")
            }
            skipPlain()
        }
        place += 1
        let inside = start + 1..<place - 1
        if isEscaped { return try unescaped(inside) }
        // A short text is made without a look at its bytes, which were read already.
        return String(unsafeUninitializedCapacity: inside.count) { memory in
            memory.initialize(fromContentsOf: bytes[inside])
        }
    }

    /// Goes past what stands for itself in a text.
    private mutating func skipPlain() {
        var end = place
        while end < bytes.count {
            let byte = bytes[end]
            if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                break
            }
            end += 1
        }
        place = end
    }

    private mutating func skipEscape() throws(CommandError) {
        place += 1
        let kind = next
        if place < bytes.count { try skipCharacter() }
        guard "\"\\/bfnrtu".utf8.contains(kind) else { throw error("invalid escape") }
        for _ in 0..<(kind == UInt8(ascii: "u") ? 4 : 0) {
            let digit = next
            if place < bytes.count { try skipCharacter() }
            guard digit.hexDigit != nil else { throw error("invalid escape") }
        }
    }

    /// - Parameter inside: the text between its quotation marks, with whole escapes.
    private func unescaped(_ inside: Range<Int>) throws(CommandError) -> String {
        var utf8: [UInt8] = []
        var rest = bytes[inside]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                utf8.append(byte)
                continue
            }
            switch kind {
            case UInt8(ascii: "b"): utf8.append(0x08)
            case UInt8(ascii: "f"): utf8.append(0x0C)
            case UInt8(ascii: "n"): utf8.append(0x0A)
            case UInt8(ascii: "r"): utf8.append(0x0D)
            case UInt8(ascii: "t"): utf8.append(0x09)
            case UInt8(ascii: "u"): utf8 += Array(String(Character(try scalar(&rest))).utf8)
            default: utf8.append(kind)
            }
        }
        return String(decoding: utf8, as: UTF8.self)
    }

    /// The character of one escape with four digits, or of two if it needs both.
    private func scalar(_ rest: inout ArraySlice<UInt8>) throws(CommandError) -> Unicode.Scalar {
        let first = Self.code(&rest)
        var (code, escapes) = (first, Self.escape(first))
        if 0xD800..<0xDC00 ~= first, rest.starts(with: "\\u".utf8) {
            rest = rest.dropFirst(2)
            let second = Self.code(&rest)
            escapes += Self.escape(second)
            if 0xDC00..<0xE000 ~= second { code = 0x10000 + (first & 0x3FF) << 10 + second & 0x3FF }
        }
        guard let scalar = Unicode.Scalar(code), code != 0 else {
            throw error("invalid Unicode '\(escapes)'")
        }
        return scalar
    }

    private static func code(_ rest: inout ArraySlice<UInt8>) -> UInt32 {
        let code = rest.prefix(4).reduce(0 as UInt32) { $0 << 4 + UInt32($1.hexDigit ?? 0) }
        rest = rest.dropFirst(4)
        return code
    }

    private static func escape(_ code: UInt32) -> String {
        let digits = String(code, radix: 16, uppercase: true)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    // MARK: Numbers

    private mutating func number() throws(CommandError) -> Token {
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { place += 1 }
        let startsWithZero = next == UInt8(ascii: "0")
        var digits = 0
        var whole = 1
        if startsWithZero { place += 1 } else { whole = skipDigits(&digits) }
        guard whole > 0, !(startsWithZero && next.isDigit) else { return .invalid }
        var fraction = 0
        var hasExponent = false
        if next == UInt8(ascii: ".") {
            place += 1
            fraction = skipDigits(&digits)
            guard fraction > 0 else { return .invalid }
        }
        if next | 0x20 == UInt8(ascii: "e") {
            hasExponent = true
            place += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
            var exponent = 0
            guard skipDigits(&exponent) > 0 else { return .invalid }
        }
        if fraction == 0 && !hasExponent { return .value(.integer(try integer(isNegative, digits, whole))) }
        var real: Double
        if !hasExponent, whole + fraction <= Self.exactDigits {
            var divisor = 1.0
            for _ in 0..<fraction { divisor *= 10 }
            real = Double(digits) / divisor
            if isNegative { real = -real }
        } else {
            real = Double(String(decoding: bytes[start..<place], as: UTF8.self)) ?? .nan
        }
        guard real.isFinite else { throw error("real number overflow") }
        return .value(.number(real))
    }

    /// - Parameters:
    ///   - digits: its digits as a number, if that fits.
    ///   - count: of the digits.
    private func integer(_ isNegative: Bool, _ digits: Int, _ count: Int) throws(CommandError) -> Int {
        if count < 19 { return isNegative ? -digits : digits }
        guard let number = Int(String(decoding: bytes[start..<place], as: UTF8.self)) else {
            throw error(isNegative ? "too big negative integer" : "too big integer")
        }
        return number
    }

    /// Appends decimal digits to a number, as long as they may fit. Returns how many there were.
    private mutating func skipDigits(_ number: inout Int) -> Int {
        let first = place
        while next.isDigit {
            number = number &* 10 &+ Int(next & 15)
            place += 1
        }
        return place - first
    }

    // MARK: Errors

    /// - Parameter words: what is wrong with the token that ends at the present place.
    private func error(_ words: String) -> CommandError {
        if let zero = bytes.firstIndex(of: 0) {
            return CommandError(.badPayload, "The payload isn't valid JSON: byte \(zero + 1) is zero.")
        }
        let before = bytes[..<place]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // Of a character the first byte counts.
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 }
        var near = ""
        if start == place {
            near = place == bytes.count ? " near end of file" : ""
        } else if place - start <= 20 {
            near = " near '\(String(decoding: bytes[start..<place], as: UTF8.self))'"
        }
        return CommandError(
            .badPayload,
            "The payload isn't valid JSON: line \(line), column \(column): \(words)\(near).")
    }
}

extension UInt8 {
    /// White space between the parts of JSON.
    var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }

    /// The value of a hexadecimal digit; nil if it is none.
    fileprivate var hexDigit: UInt8? {
        switch self {
        case 0x30...0x39: self & 15
        case 0x41...0x46, 0x61...0x66: self & 15 + 9
        default: nil
        }
    }
}
