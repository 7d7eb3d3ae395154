/// The units of H.264 as encoders give it: Annex B of the standard (ITU-T H.264), units between start codes.
package enum H264Units {
    /// The type of a unit, from its first byte (table 7-1 of the standard).
    package enum Kind: UInt8, Sendable {
        case slice = 1
        case keySlice = 5
        /// Supplemental enhancement information (SEI): decoding needs none.
        case supplement = 6
        case sequenceParameters = 7
        case pictureParameters = 8
        case delimiter = 9
        case endOfSequence = 10
        case endOfStream = 11
        case filler = 12
    }

    /// Nil: another kind.
    package static func kind(_ header: UInt8) -> Kind? { Kind(rawValue: header & 0x1f) }

    /// Where the units lie, without start codes and the zeros before them.
    package static func ranges(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start: Int?
        func close(at end: Int) {
            guard let start else { return }
            var end = end
            while end > start && bytes[end - 1] == 0 { end -= 1 }
            if end > start { found.append(start..<end) }
        }
        var index = 0
        while index + 2 < bytes.count {
            // A start code is 0, 0, 1: a byte above 1 rules out the two before it as well.
            if bytes[index + 2] > 1 {
                index += 3
            } else if bytes[index] == 0 && bytes[index + 1] == 0 && bytes[index + 2] == 1 {
                close(at: index)
                start = index + 3
                index += 3
            } else {
                index += 1
            }
        }
        close(at: bytes.count)
        return found
    }
}
