/// JSON as it is written, part by part: the only code with the syntax of JSON.
package struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether a number was written that JSON does not have.
    private(set) var hasNonFinite = false

    /// The buffer grows when a message is longer.
    init() { bytes.reserveCapacity(512) }

    init(bytes: [UInt8]) { self.bytes = bytes }

    // MARK: Structure

    mutating func bracket(_ character: Unicode.Scalar) { bytes.append(UInt8(ascii: character)) }

    /// Separates a field or an element from the one before it, if there is one.
    mutating func separate() { if needsComma { bytes.append(UInt8(ascii: ",")) } }

    private var needsComma: Bool {
        // A text ends in a quotation mark, so one of these here is no part of a text.
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","): false
        default: true
        }
    }

    mutating func key(_ name: String) {
        separate()
        write(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// - Parameter name: without characters that JSON escapes.
    mutating func key(plain name: String) {
        var name = name
        name.withUTF8 { utf8 in
            let needsComma = needsComma
            bytes.append(addingCapacity: utf8.count + 4) { text in
                if needsComma { text.append(UInt8(ascii: ",")) }
                text.append(UInt8(ascii: "\""))
                Self.append(utf8, to: &text)
                text.append(UInt8(ascii: "\""))
                text.append(UInt8(ascii: ":"))
            }
        }
    }

    // MARK: Values

    /// - Parameter isCanonical: whether equal values give the same text: fields are in the order of their
    ///   names, and whole numbers have no fraction.
    mutating func write(_ value: JSON, isCanonical: Bool = false) {
        switch value {
        case .null: writeNull()
        case .flag(let flag): write(flag)
        case .integer(let number): write(number)
        case .number(let number):
            if isCanonical, let whole = Int(exactly: number) { write(whole) } else { write(number) }
        case .text(let text): write(text)
        case .list(let values):
            bracket("[")
            for value in values {
                separate()
                write(value, isCanonical: isCanonical)
            }
            bracket("]")
        case .object(let object):
            bracket("{")
            let members = isCanonical ? object.members.sorted { $0.name < $1.name } : object.members
            for member in members {
                key(member.name)
                write(member.value, isCanonical: isCanonical)
            }
            bracket("}")
        }
    }

    mutating func writeNull() { bytes += "null".utf8 }

    mutating func write(_ value: Bool) { bytes += (value ? "true" : "false").utf8 }

    mutating func write(_ value: some FixedWidthInteger) {
        bytes.append(addingCapacity: 21) { text in
            if value < 0 { text.append(UInt8(ascii: "-")) }
            Self.write(digitsOf: UInt64(value.magnitude), to: &text)
        }
    }

    private static func write(digitsOf number: UInt64, to text: inout OutputSpan<UInt8>) {
        var unit: UInt64 = 1
        while number / unit >= 10 { unit *= 10 }
        write(number, from: unit, to: &text)
    }

    /// Writes digits, the first of which stands for this unit.
    private static func write(_ number: UInt64, from unit: UInt64, to text: inout OutputSpan<UInt8>) {
        var (rest, unit) = (number, unit)
        while unit > 0 {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / unit))
            (rest, unit) = (rest % unit, unit / 10)
        }
    }

    /// Whole numbers have no fraction. Infinities and NaN, which JSON does not have, become null.
    mutating func write(_ number: Double) {
        guard number.isFinite else {
            hasNonFinite = true
            return writeNull()
        }
        if number.magnitude < 1e15, number == number.rounded() { return write(Int(number)) }
        if number.magnitude >= 1e-3, number.magnitude < 1e9, write(millionthsOf: number) { return }
        bytes += number.description.utf8
    }

    /// Writes a number of at most six decimals, as all in messages are. Returns whether it is one.
    ///
    /// No two numbers of up to 15 digits are the same `Double`, so the text is that of `description`, which
    /// takes three times as long.
    private mutating func write(millionthsOf number: Double) -> Bool {
        let millionths = (number.magnitude * 1e6).rounded()
        guard millionths / 1e6 == number.magnitude else { return false }
        let (whole, fraction) = UInt64(millionths).quotientAndRemainder(dividingBy: 1_000_000)
        bytes.append(addingCapacity: 28) { text in
            if number < 0 { text.append(UInt8(ascii: "-")) }
            Self.write(digitsOf: whole, to: &text)
            text.append(UInt8(ascii: "."))
            var rest = fraction
            while rest > 0 {
                rest *= 10
                text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / 1_000_000))
                rest %= 1_000_000
            }
        }
        return true
    }

    mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            guard utf8.contains(where: Self.isEscaped) else {
                return bytes.append(addingCapacity: utf8.count + 2) { text in
                    text.append(UInt8(ascii: "\""))
                    Self.append(utf8, to: &text)
                    text.append(UInt8(ascii: "\""))
                }
            }
            bytes.append(addingCapacity: 6 * utf8.count + 2) { text in
                text.append(UInt8(ascii: "\""))
                for byte in utf8 { Self.write(byte, to: &text) }
                text.append(UInt8(ascii: "\""))
            }
        }
    }

    /// Appends bytes for which there is room.
    private static func append(_ bytes: UnsafeBufferPointer<UInt8>, to text: inout OutputSpan<UInt8>) {
        text.withUnsafeMutableBufferPointer { buffer, count in
            _ = UnsafeMutableBufferPointer(rebasing: buffer[count...]).update(fromContentsOf: bytes)
            count += bytes.count
        }
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func write(_ byte: UInt8, to text: inout OutputSpan<UInt8>) {
        guard isEscaped(byte) else { return text.append(byte) }
        text.append(UInt8(ascii: "\\"))
        guard byte < 0x20 else { return text.append(byte) }
        let digit = byte & 15
        text.append(UInt8(ascii: "u"))
        text.append(UInt8(ascii: "0"))
        text.append(UInt8(ascii: "0"))
        text.append(UInt8(ascii: "0") + byte >> 4)
        text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
}
