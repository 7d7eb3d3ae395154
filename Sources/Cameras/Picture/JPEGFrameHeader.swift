/// The size of a JPEG, from what stands before its first scan (ITU-T T.81, annex B), read without decoding
/// anything.
package struct JPEGFrameHeader: Sendable, Equatable {
    /// Pixels in a row, as the frame header has them.
    package let width: Int
    /// Rows.
    package let height: Int

    /// Nil: these bytes are no JPEG, or are damaged before the first scan.
    package init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: [0xFF, 0xD8]), let size = bytes.withUnsafeBufferPointer(Self.size)
        else { return nil }
        (width, height) = size
    }

    private static func size(in bytes: UnsafeBufferPointer<UInt8>) -> (width: Int, height: Int)? {
        var size: (width: Int, height: Int)?
        for marker in JPEGMarkers(bytes).dropFirst() {
            // Markers without a segment, which mean nothing here: TEM and restarts. libjpeg-turbo skips them.
            let isWithoutSegment = marker.code == 0x01 || (0xD0...0xD7).contains(marker.code)
            if isWithoutSegment && !marker.followsOthers { continue }
            guard let body = marker.body, !marker.followsOthers else { return nil }
            func number(at place: Int) -> Int { Int(body[place]) << 8 | Int(body[place + 1]) }
            switch marker.code {
            case JPEGMarkers.scan: return size
            // Frame headers; between them are the segments DHT, JPG and DAC.
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard body.count >= 6 else { return nil }
                size = (number(at: 3), number(at: 1))
            default: break
            }
        }
        return nil
    }
}
