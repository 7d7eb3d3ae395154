/// Reads the fields of a unit of H.264: bits, and numbers in Exp-Golomb code (section 9.1 of the standard).
///
/// Only the first bytes of a unit are read: enough for parameter sets and for the heads of slices. Beyond the
/// end there are zeros, and ``isOverrun`` is true.
struct H264Bits: Sendable {
    /// The bytes after the unit's header, without the bytes that keep start codes out (section 7.4.1).
    private var bytes: [UInt8] = []
    private var place = 0
    private(set) var isOverrun = false

    /// - Parameters:
    ///   - unit: from its header on.
    ///   - longest: the number of bytes that are read at the most. The default is more than the part of a
    ///     sequence's parameters that is read here, scaling lists included.
    init(_ unit: UnsafeBufferPointer<UInt8>, longest: Int = 1024) {
        var zeros = 0
        for byte in unit.dropFirst().prefix(longest) {
            if zeros >= 2 && byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
    }

    mutating func bit() -> Bool {
        guard place < bytes.count * 8 else {
            isOverrun = true
            return false
        }
        defer { place += 1 }
        return bytes[place / 8] >> (7 - place % 8) & 1 == 1
    }

    /// - Parameter count: at most 32.
    mutating func bits(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count { value = value << 1 | (bit() ? 1 : 0) }
        return value
    }

    /// An unsigned number.
    mutating func number() -> Int {
        var zeros = 0
        while !bit() {
            zeros += 1
            if zeros > 31 || isOverrun {
                isOverrun = true
                return 0
            }
        }
        return (1 << zeros) - 1 + bits(zeros)
    }

    /// A number with a sign.
    mutating func signedNumber() -> Int {
        let code = number()
        return code.isMultiple(of: 2) ? -code / 2 : (code + 1) / 2
    }
}
