/// CRC-32 as zip, PNG and Ethernet have it (reflected polynomial 0xEDB88320).
///
/// It distinguishes a file that was cut off or damaged from a whole one. It is no protection against
/// deliberate changes.
enum Checksum {
    /// The checksum of bytes that follow those with the checksum `before`.
    static func crc32(_ bytes: some Sequence<UInt8>, after before: UInt32 = 0) -> UInt32 {
        var crc = ~before
        for byte in bytes {
            crc = (crc >> 8) ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)]
        }
        return ~crc
    }

    /// A checksum as 8 hexadecimal digits.
    static func hex(_ value: UInt32) -> [UInt8] {
        (0..<8).map { digits[Int(value >> (28 - 4 * UInt32($0))) & 0xF] }
    }

    private static let digits = Array("0123456789abcdef".utf8)
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1
        }
    }
}
