/// How an uncompressed frame lies in memory, as V4L2 defines it for a pixel format.
///
/// Only formats whose bytes follow from width, height and the length of a row are here: for these a buffer
/// can be checked before it is read. Formats that the camera compresses are not.
package struct PixelLayout: Sendable, Equatable {
    /// Rows of one length, at equal distances.
    package struct Rows: Sendable, Equatable {
        /// Bytes before the first row.
        package let start: Int
        /// Bytes from the start of a row to the start of the next one.
        package let stride: Int
        /// Bytes of a row that have samples.
        package let length: Int
        package let count: Int

        /// Bytes from the frame's start to the end of the last row. What pads that row is not counted.
        package var end: Int { start + stride * (count - 1) + length }
    }

    /// A plane. Planes follow one another without a gap.
    private struct Plane: Equatable {
        /// Bits in a row of the plane for each pixel in a row of the picture.
        let bits: Int
        /// The part of the first plane's stride that this plane's is: 1 ÷ `strideDivisor`.
        let strideDivisor: Int
        /// Twice the number of rows for each row of the picture.
        let rowsOfTwo: Int
    }

    private let planes: [Plane]

    private init(_ planes: [Plane]) { self.planes = planes }

    /// The layout of a pixel format, by its four-character code, such as `YUYV`. Nil: the format is
    /// compressed, or not one of which pictures can be made.
    package init?(of pixelFormat: String) {
        guard let layout = Self.all[pixelFormat] else { return nil }
        self = layout
    }

    /// The bytes of a row of the first plane without padding; nil: rows of this width do not end with a byte.
    ///
    /// - Parameter width: pixels in a row.
    package func rowLength(width: Int) -> Int? {
        let bits = planes[0].bits * width
        return bits.isMultiple(of: 8) ? bits / 8 : nil
    }

    /// Where the rows are in a frame, plane by plane.
    ///
    /// - Parameters:
    ///   - width: pixels in a row, an even number of at least 2.
    ///   - height: rows of pixels, an even number of at least 2.
    ///   - stride: bytes from a row of the first plane to the next one; 0: rows are not padded.
    /// - Returns: nil if rows would overlap, because the stride is shorter than a row, or if rows of this
    ///   width do not end with a byte.
    package func rows(width: Int, height: Int, stride: Int) -> [Rows]? {
        guard let length = rowLength(width: width) else { return nil }
        let stride = stride == 0 ? length : stride
        guard stride >= length else { return nil }
        var start = 0
        return planes.map { plane in
            let rows = Rows(
                start: start, stride: stride / plane.strideDivisor, length: plane.bits * width / 8,
                count: height * plane.rowsOfTwo / 2)
            start += rows.stride * rows.count
            return rows
        }
    }

    /// The bytes of a frame, from its start to the end of its last row; nil: see
    /// ``rows(width:height:stride:)``.
    package func length(width: Int, height: Int, stride: Int) -> Int? {
        rows(width: width, height: height, stride: stride)?.end
    }

    // MARK: Formats

    private static func packed(_ bits: Int) -> PixelLayout {
        PixelLayout([Plane(bits: bits, strideDivisor: 1, rowsOfTwo: 2)])
    }

    /// Luma, and two planes of chroma with half of the columns and rows.
    private static let planar420 = PixelLayout([
        Plane(bits: 8, strideDivisor: 1, rowsOfTwo: 2), Plane(bits: 4, strideDivisor: 2, rowsOfTwo: 1),
        Plane(bits: 4, strideDivisor: 2, rowsOfTwo: 1),
    ])

    /// Luma, and a plane in which the two chroma samples alternate.
    private static func semiplanar(chromaRowsOfTwo: Int) -> PixelLayout {
        PixelLayout([
            Plane(bits: 8, strideDivisor: 1, rowsOfTwo: 2),
            Plane(bits: 8, strideDivisor: 1, rowsOfTwo: chromaRowsOfTwo),
        ])
    }

    /// The formats of which pictures can be made, by their four-character codes.
    package static let all: [String: PixelLayout] = [
        "YUYV": packed(16), "YVYU": packed(16), "UYVY": packed(16),
        "YU12": planar420, "YV12": planar420,
        "NV12": semiplanar(chromaRowsOfTwo: 1),
        "NV16": semiplanar(chromaRowsOfTwo: 2), "NV61": semiplanar(chromaRowsOfTwo: 2),
        // Two rows of luma and a row of chroma in turns.
        "M420": PixelLayout([Plane(bits: 8, strideDivisor: 1, rowsOfTwo: 3)]),
        "RGBP": packed(16), "RGB3": packed(24), "BGR3": packed(24),
        "RGB4": packed(32), "BGR4": packed(32), "XR24": packed(32), "BX24": packed(32), "AR24": packed(32),
        "BA24": packed(32),
        // One gray sample in a byte, whatever its bits are; then ten bits without padding, and two bytes.
        "GREY": packed(8), "Y04 ": packed(8), "Y06 ": packed(8), "Y10B": packed(10), "Y16 ": packed(16),
        "Y16 -BE": packed(16),
        // Bayer patterns of 8 bits, 10 bits without padding, 10 bits in two bytes, and 16 bits.
        "BA81": packed(8), "GBRG": packed(8), "GRBG": packed(8), "RGGB": packed(8),
        "pBAA": packed(10), "pGAA": packed(10), "pgAA": packed(10), "pRAA": packed(10),
        "BG10": packed(16), "GB10": packed(16), "BA10": packed(16), "RG10": packed(16),
        "BYR2": packed(16), "GB16": packed(16), "GR16": packed(16), "RG16": packed(16),
    ]
}

extension [PixelLayout.Rows] {
    /// Bytes from the frame's start to the end of the last row of any plane; nil: there is no plane.
    package var end: Int? { map(\.end).max() }
}
