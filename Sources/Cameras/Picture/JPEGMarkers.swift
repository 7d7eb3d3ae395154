internal import Glibc

/// The markers of a JPEG with their segments (ITU-T T.81, annex B), found as decoders find them, up to the
/// end of the image. Nothing is decoded. The one place that knows how a JPEG is divided.
package struct JPEGMarkers: Sequence, IteratorProtocol {
    package struct Marker {
        package let code: UInt8
        /// Whether other bytes stand before it: those of a scan, or damage.
        let followsOthers: Bool
        /// What its segment has after the length; nil: it has none, or a length that can't be.
        let body: UnsafeBufferPointer<UInt8>?
    }

    package static let scan: UInt8 = 0xDA
    private static let endOfImage: UInt8 = 0xD9

    private var rest: Slice<UnsafeBufferPointer<UInt8>>

    package init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes[...] }

    package mutating func next() -> Marker? {
        guard let start = rest.base.baseAddress,
            let found = memchr(start + rest.startIndex, 0xFF, rest.count)
        else { return nil }
        let place = UnsafeRawPointer(found) - UnsafeRawPointer(start)
        let followsOthers = place > rest.startIndex
        // Any number of 0xFF may stand before a marker (B.1.1.2).
        rest = rest[place...].drop { $0 == 0xFF }
        guard let code = rest.popFirst() else { return nil }
        var body: UnsafeBufferPointer<UInt8>?
        switch code {
        // A byte of data, and markers without a segment.
        case 0x00, 0x01, 0xD0...0xD8: break
        case Self.endOfImage: rest = rest.suffix(0)
        default: body = takeSegment()
        }
        return Marker(code: code, followsOthers: followsOthers, body: body)
    }

    /// Nothing follows a segment that is longer than the file.
    private mutating func takeSegment() -> UnsafeBufferPointer<UInt8>? {
        let length = rest.count >= 2 ? Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1]) : .max
        guard length <= rest.count else {
            rest = rest.suffix(0)
            return nil
        }
        let segment = UnsafeBufferPointer(rebasing: rest.prefix(length))
        rest = rest.dropFirst(Swift.max(2, length))
        return length >= 2 ? UnsafeBufferPointer(rebasing: segment[2...]) : nil
    }

    /// Whether the bytes reach the JPEG's end: whether the last marker among them is that of the end of the
    /// image (table B.1). A transfer that broke off leaves a file whose last marker is that of a segment or a
    /// scan. What a camera's driver appends as padding doesn't matter.
    package static func reachEnd(of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in bytes.indices.dropLast().reversed() where bytes[index] == 0xFF {
            switch bytes[index + 1] {
            case 0x00, 0x01, 0xD0...0xD7, 0xFF: break  // A byte of data, a restart, or padding.
            case let marker: return marker == endOfImage
            }
        }
        return false
    }
}
