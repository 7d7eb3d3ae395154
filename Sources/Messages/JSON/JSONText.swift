/// JSON as it is written, field by field: the only code with the syntax of JSON.
///
/// Fields come in the order of the calls, which is easier to read in `mosquitto_sub`. A field that is nil is
/// left out.
package struct JSONText {
    package private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: of the buffer, which grows when a message is longer.
    package init(capacity: Int = 512) { bytes.reserveCapacity(capacity) }

    // MARK: Objects and lists

    package mutating func beginObject() { bytes.append(UInt8(ascii: "{")) }
    package mutating func endObject() { bytes.append(UInt8(ascii: "}")) }
    mutating func beginList() { bytes.append(UInt8(ascii: "[")) }
    mutating func endList() { bytes.append(UInt8(ascii: "]")) }

    /// Separates a field or an element from the one before it, if there is one.
    mutating func separate() {
        // A text ends in a quotation mark, so a bracket here opens an object or a list.
        guard let last = bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") else { return }
        bytes.append(UInt8(ascii: ","))
    }

    mutating func key(_ name: String) {
        separate()
        write(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// - Parameter name: without characters that JSON escapes.
    private mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        write(literal: name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    // MARK: Fields

    package mutating func field(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        write(value)
    }

    package mutating func field(_ name: StaticString, _ value: Double?) {
        guard let value else { return }
        key(name)
        write(value)
    }

    package mutating func field(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        key(name)
        write(value)
    }

    package mutating func field(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        key(name)
        write(value)
    }

    package mutating func field(_ name: StaticString, _ value: (some JSONMessage)?) {
        guard let value else { return }
        key(name)
        value.write(to: &self)
    }

    /// A field whose value has no encoder of its own.
    package mutating func field(_ name: StaticString, encodable value: (some Encodable)?) {
        guard let value else { return }
        key(name)
        write(encodable: value)
    }

    // MARK: Values

    mutating func write(literal: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    mutating func writeNull() { write(literal: "null") }

    mutating func write(_ value: Bool) { write(literal: value ? "true" : "false") }

    mutating func write(_ value: Int) {
        // 19 digits are the most that an Int has.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var first = digits.count
            var rest = value.magnitude
            repeat {
                first -= 1
                digits.initializeElement(at: first, to: UInt8(ascii: "0") + UInt8(rest % 10))
                rest /= 10
            } while rest > 0
            if value < 0 { bytes.append(UInt8(ascii: "-")) }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first...]))
        }
    }

    /// Integers of other types than `Int`.
    mutating func write(integer: some BinaryInteger) {
        bytes.append(contentsOf: integer.description.utf8)
    }

    /// Whole numbers have no fraction. Infinities and NaN, which JSON does not have, become null.
    mutating func write(_ number: Double) {
        guard number.isFinite else { return writeNull() }
        if number.magnitude < 1e15, number == number.rounded() { return write(Int(number)) }
        if number.magnitude >= 1e-3, number.magnitude < 1e9, write(millionthsOf: number) { return }
        bytes.append(contentsOf: number.description.utf8)
    }

    /// Writes a number of at most six decimals, as all in messages are. Returns whether it is one.
    ///
    /// No two numbers of up to 15 digits are the same `Double`, so the text is that of `description`, which
    /// takes three times as long.
    private mutating func write(millionthsOf number: Double) -> Bool {
        let millionths = (number.magnitude * 1e6).rounded()
        guard millionths / 1e6 == number.magnitude else { return false }
        let whole = Int(millionths) / 1_000_000
        var rest = Int(millionths) % 1_000_000
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        write(whole)
        bytes.append(UInt8(ascii: "."))
        while rest > 0 {
            rest *= 10
            bytes.append(UInt8(ascii: "0") + UInt8(rest / 1_000_000))
            rest %= 1_000_000
        }
        return true
    }

    mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            if utf8.contains(where: Self.isEscaped) {
                for byte in utf8 { write(escaped: byte) }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func write(escaped byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): write(literal: "\\\"")
        case UInt8(ascii: "\\"): write(literal: "\\\\")
        case 0x00..<0x20:
            write(literal: byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 15
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        default: bytes.append(byte)
        }
    }

    /// A payload that was read, or a part of it.
    mutating func write(_ part: JSONPart) {
        switch part.kind {
        case .object:
            beginObject()
            for (name, value) in part.fields {
                key(name)
                write(value)
            }
            endObject()
        case .list:
            beginList()
            for element in part.elements {
                separate()
                write(element)
            }
            endList()
        case .text(let text): write(text)
        case .integer(let number): write(number)
        case .real(let number): write(number)
        case .flag(let flag): write(flag)
        case .null: writeNull()
        }
    }

    /// A value without an encoder of its own.
    package mutating func write(encodable value: some Encodable) {
        // The writer is the only owner of the text meanwhile, so that nothing is copied.
        var text = JSONText(capacity: 0)
        swap(&text, &self)
        let writer = JSONWriter(text)
        text = JSONText(capacity: 0)
        // The writer takes every value, and our messages' own parts don't throw.
        try? writer.write(value)
        self = writer.text
    }
}
