internal import CV4L2

/// The format of frames, as V4L2 describes it.
struct V4L2Format: Sendable, Equatable {
    var pixelFormat: UInt32
    var width: Int
    var height: Int
    /// The planes of memory that a frame is in. Formats such as `NM12` (V4L2's NV12M) have several; others
    /// have one, whatever number of planes of samples is in it.
    var memory: [MemoryPlane]
    /// Whether samples go from 0 to 255.
    var isFullRange: Bool

    /// A plane of memory, as the driver describes it.
    struct MemoryPlane: Sendable, Equatable {
        /// Bytes from a row of the first plane of samples in it to the next one; 0: rows are not padded.
        var stride: Int
        /// The largest number of bytes that a frame has in it.
        var size: Int
    }

    /// Whether the pictures have the same format and size, whatever memory they take.
    func isSame(as other: V4L2Format) -> Bool {
        (pixelFormat, width, height) == (other.pixelFormat, other.width, other.height)
    }

    var words: String { "\(letters) \(width)×\(height)" }

    /// A number of planes of memory in words.
    func counted(_ planes: Int) -> String { planes == 1 ? "1 plane of memory" : "\(planes) planes of memory" }

    /// The name of the pixel format, see ``letters(_:)``.
    var letters: String { Self.letters(pixelFormat) }

    /// Whether each frame is a JPEG.
    var isJPEG: Bool { pixelFormat == Self.code("MJPG") || pixelFormat == Self.code("JPEG") }

    /// Whether frames are H.264.
    var isH264: Bool { pixelFormat == Self.code("H264") }

    /// V4L2's number of a four-character code; the inverse of ``letters(_:)`` for printable ASCII characters.
    static func code(_ letters: String) -> UInt32 {
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
            memory: planes(found.planes, found.plane_count) { (plane: cv4l2_plane_format) in
                MemoryPlane(stride: Int(plane.stride), size: Int(plane.size))
            },
            isFullRange: found.full_range)
    }

    /// For the conversion of a frame in one plane of memory.
    ///
    /// - Parameters:
    ///   - stride: bytes from a row to the next one.
    ///   - size: bytes of the frame.
    func forC(stride: Int, size: Int) -> cv4l2_format {
        var format = cv4l2_format()
        (format.pixel_format, format.width, format.height) = (pixelFormat, UInt32(width), UInt32(height))
        (format.plane_count, format.full_range) = (1, isFullRange)
        format.planes.0 = cv4l2_plane_format(stride: UInt32(stride), size: UInt32(size))
        return format
    }
}

/// The first planes of a C array, which Swift imports as a tuple.
///
/// - Parameter count: as the driver reports it; not more than the array has are made.
func planes<Tuple, Element, Plane>(
    _ tuple: Tuple, _ count: UInt32, _ make: (Element) -> Plane
) -> [Plane] {
    withUnsafeBytes(of: tuple) { bytes in
        bytes.bindMemory(to: Element.self).prefix(Int(count)).map(make)
    }
}
