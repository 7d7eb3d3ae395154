internal import CV4L2

/// The format of frames, as V4L2 describes it.
package struct V4L2Format: Sendable, Equatable {
    package var pixelFormat: UInt32
    package var width: Int
    package var height: Int
    /// Bytes from a row of the first plane to the next one, and largest number of bytes in a frame.
    package var stride: Int
    package var size: Int
    /// Whether samples go from 0 to 255.
    package var isFullRange: Bool

    package init(pixelFormat: UInt32, width: Int, height: Int, stride: Int, size: Int, isFullRange: Bool) {
        (self.pixelFormat, self.width, self.height) = (pixelFormat, width, height)
        (self.stride, self.size, self.isFullRange) = (stride, size, isFullRange)
    }

    /// Whether the pictures have the same format and size, whatever memory they take.
    func isSame(as other: V4L2Format) -> Bool {
        (pixelFormat, width, height) == (other.pixelFormat, other.width, other.height)
    }

    var words: String { "\(letters) \(width)×\(height)" }

    /// The name of the pixel format, see ``letters(_:)``.
    var letters: String { Self.letters(pixelFormat) }

    /// Whether each frame is a JPEG.
    var isJPEG: Bool { pixelFormat == Self.code("MJPG") || pixelFormat == Self.code("JPEG") }

    /// V4L2's number of a four-character code; the inverse of ``letters(_:)`` for printable ASCII characters.
    package static func code(_ letters: String) -> UInt32 {
        let code = letters.utf8.prefix(4).enumerated().reduce(0) {
            $0 | UInt32($1.element) << (8 * UInt32($1.offset))
        }
        return letters.hasSuffix(bigEndian) ? code | 1 << 31 : code
    }

    private static let bigEndian = "-BE"

    /// Rates are rounded to a thousandth: a driver's 333,333 × 100 ns are 30 frames per second.
    static func rounded(_ rate: Double) -> Double { (rate * 1000).rounded() / 1000 }

    /// The four-character code with V4L2's number, with `-BE` for big-endian samples (the highest bit of the
    /// number). A byte that is not printable ASCII is `?`, which is in no code of V4L2: so a number that no
    /// format has does not get the name of another format.
    static func letters(_ code: UInt32) -> String {
        let isBigEndian = code >> 31 != 0
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: (code & ~(1 << 31)) >> (8 * UInt32($0))) }
        let printable = bytes.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: printable, as: UTF8.self) + (isBigEndian ? bigEndian : "")
    }
}

extension V4L2Format {
    init(_ found: cv4l2_format) {
        self.init(
            pixelFormat: found.pixel_format, width: Int(found.width), height: Int(found.height),
            stride: Int(found.stride), size: Int(found.size), isFullRange: found.full_range)
    }

    var forC: cv4l2_format {
        cv4l2_format(
            pixel_format: pixelFormat, width: UInt32(width), height: UInt32(height), stride: UInt32(stride),
            size: UInt32(size), full_range: isFullRange)
    }
}
