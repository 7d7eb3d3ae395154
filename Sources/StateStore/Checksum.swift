/// CRC-32 as zip, PNG and Ethernet have it (reflected polynomial 0xEDB88320).
///
/// It distinguishes a file that was cut off or damaged from a whole one. It is no protection against
/// deliberate changes.
enum Checksum {
    static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc = (crc >> 8) ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)]
        }
        return ~crc
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1
        }
    }
}
