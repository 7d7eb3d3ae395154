/// Bytes as hexadecimal text in lower case: two digits for each byte.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func text(of bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0xF)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text with digits in lower or upper case; nil if it is no such text.
    package static func bytes(of text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            guard let value = Character(Unicode.Scalar(character)).hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | UInt8(value))
                high = nil
            } else {
                high = UInt8(value)
            }
        }
        return high == nil ? bytes : nil
    }
}

/// Bytes as text for addresses and file names: base64url without padding (RFC 4648, section 5).
package enum Base64URL {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func text(of bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var (bits, count) = (UInt32(0), UInt32(0))
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> count & 63)])
            }
            bits &= (1 << count) - 1
        }
        if count > 0 { text.append(digits[Int(bits << (6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    /// The text in a C array, which Swift imports as a tuple: up to its first 0.
    package init<Characters>(ofC characters: Characters) {
        self = withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension Int {
    /// A number of bytes for people: in the largest unit that gives at least 1, which is a power of 1000.
    package var bytesText: String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var (number, unit) = (Double(self), 0)
        while number.rounded() >= 1000, unit + 1 < units.count { (number, unit) = (number / 1000, unit + 1) }
        let tenths = Int((number * 10).rounded())
        let text = unit < 2 ? "\(Int(number.rounded()))" : "\(tenths / 10).\(tenths % 10)"
        return "\(text) \(units[unit])"
    }
}
