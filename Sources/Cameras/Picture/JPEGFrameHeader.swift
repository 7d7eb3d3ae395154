/// What stands before the first scan of a JPEG (ITU-T T.81, annex B), read without decoding anything.
package struct JPEGFrameHeader: Sendable, Equatable {
    /// Pixels in a row, as the frame header has them.
    package let width: Int
    /// Rows.
    package let height: Int
    /// The number of MCUs from one restart marker to the next (B.2.4.4). 0: there are no restart markers,
    /// because the segment DRI is missing or has a zero.
    package let restartInterval: Int

    /// Nil: these bytes are no JPEG, or are damaged before the first scan.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
        var place = 2
        var size: (width: Int, height: Int)?
        var interval = 0
        while true {
            guard let marker = Self.marker(in: bytes, &place) else { return nil }
            // Markers without a segment, which mean nothing here: TEM and restarts. libjpeg-turbo skips them.
            if marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
            let body = place + 2
            guard body <= bytes.count else { return nil }
            let length = Self.number(in: bytes, at: place)
            let end = place + length
            guard length >= 2, end <= bytes.count else { return nil }
            switch marker {
            case 0xDA:
                guard let size else { return nil }
                (width, height, restartInterval) = (size.width, size.height, interval)
                return
            case 0xDD:
                guard length == 4 else { return nil }
                interval = Self.number(in: bytes, at: body)
            // Frame headers; between them are the segments DHT, JPG and DAC.
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard length >= 8 else { return nil }
                size = (Self.number(in: bytes, at: body + 3), Self.number(in: bytes, at: body + 1))
            // Markers without a segment, which don't belong here: beginning and end.
            case 0x00, 0xD8, 0xD9: return nil
            default: break
            }
            place = end
        }
    }

    /// The next marker; any number of 0xFF may stand before it (B.1.1.2). Nil: there is something else.
    private static func marker(in bytes: [UInt8], _ place: inout Int) -> UInt8? {
        guard place < bytes.count, bytes[place] == 0xFF else { return nil }
        while place < bytes.count, bytes[place] == 0xFF { place += 1 }
        guard place < bytes.count else { return nil }
        place += 1
        return bytes[place - 1]
    }

    /// - Parameter place: at least two bytes before the end.
    private static func number(in bytes: [UInt8], at place: Int) -> Int {
        Int(bytes[place]) << 8 | Int(bytes[place + 1])
    }
}
