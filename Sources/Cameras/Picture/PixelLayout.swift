/// How an uncompressed frame lies in memory, as V4L2 defines it for a pixel format.
///
/// A frame has planes of samples, such as luma and chroma. They are in one plane of memory, or each is in a
/// plane of memory of its own: V4L2's "multi-planar" formats, whose names end with M there (`NM12` is NV12M).
///
/// Only formats whose bytes follow from width, height and the length of a row are here: for these a buffer
/// can be checked before it is read. Formats that the camera compresses are not.
package struct PixelLayout: Sendable, Equatable {
    /// Rows of one length, at equal distances.
    package struct Rows: Sendable, Equatable {
        /// The plane of memory in which they are, from 0.
        let memory: Int
        /// Bytes before the first row, from the start of the plane of memory.
        package let start: Int
        /// Bytes from the start of a row to the start of the next one.
        package let stride: Int
        /// Bytes of a row that have samples.
        let length: Int
        let count: Int

        /// Bytes from the start of the plane of memory to the end of the last row. What pads that row is not
        /// counted.
        var end: Int { start + stride * (count - 1) + length }
    }

    /// The samples of luma, of blue difference or of red difference.
    struct Component: Sendable, Equatable {
        /// Its plane of samples, from 0.
        let plane: Int
        /// Bytes before the first sample of a row.
        let offset: Int
        /// Bytes from a sample to the next one.
        let step: Int
    }

    /// A plane of samples. Planes that share a plane of memory follow one another without a gap.
    private struct Plane: Sendable, Equatable {
        /// Bits in a row of the plane for each pixel in a row of the picture.
        let bits: Int
        /// The part of the stride of its plane of memory that this plane's is: 1 ÷ `strideDivisor`.
        let strideDivisor: Int
        /// Twice the number of rows for each row of the picture.
        let rowsOfTwo: Int
    }

    private let planes: [Plane]
    /// Whether each plane of samples has a plane of memory of its own.
    private let isDivided: Bool
    /// Luma, blue difference and red difference, where luma has a plane of its own and chroma has half of the
    /// columns; nil: other formats.
    let components: [Component]?

    private init(_ planes: [Plane], _ components: [Component]? = nil, isDivided: Bool = false) {
        (self.planes, self.components, self.isDivided) = (planes, components, isDivided)
    }

    /// The number of planes of memory that a frame is in.
    var memoryPlanes: Int { isDivided ? planes.count : 1 }

    /// The layout of a pixel format, by its four-character code, such as `YUYV`. Nil: the format is
    /// compressed, or not one of which pictures can be made.
    init?(of pixelFormat: String) {
        guard let layout = Self.all[pixelFormat] else { return nil }
        self = layout
    }

    /// The bytes of a row of the first plane without padding; nil: rows of this width do not end with a byte.
    ///
    /// - Parameter width: pixels in a row.
    func rowLength(width: Int) -> Int? {
        let bits = planes[0].bits * width
        return bits.isMultiple(of: 8) ? bits / 8 : nil
    }

    /// Where the rows are in a frame, by planes of samples.
    ///
    /// - Parameters:
    ///   - width: pixels in a row, an even number of at least 2.
    ///   - height: rows of pixels, an even number of at least 2.
    ///   - strides: for each plane of memory the bytes from a row of the first plane of samples in it to the
    ///     next one; 0: rows are not padded.
    /// - Returns: nil if rows would overlap, because a stride is shorter than a row, if rows of this width do
    ///   not end with a byte, or if there is not a stride for each plane of memory.
    func rows(width: Int, height: Int, strides: [Int]) -> [Rows]? {
        guard let whole = rowLength(width: width), strides.count == memoryPlanes else { return nil }
        var list: [Rows] = []
        for (place, plane) in planes.enumerated() {
            let memory = isDivided ? place : 0
            let length = plane.bits * width / 8
            let unpadded = isDivided ? length : whole
            let stride = (strides[memory] == 0 ? unpadded : strides[memory]) / plane.strideDivisor
            guard stride >= length else { return nil }
            let start = isDivided ? 0 : list.last.map { $0.start + $0.stride * $0.count } ?? 0
            list.append(
                Rows(
                    memory: memory, start: start, stride: stride, length: length,
                    count: height * plane.rowsOfTwo / 2))
        }
        return list
    }

    // MARK: Formats

    private static func packed(_ bits: Int) -> PixelLayout {
        PixelLayout([Plane(bits: bits, strideDivisor: 1, rowsOfTwo: 2)])
    }

    private static let luma = Component(plane: 0, offset: 0, step: 1)

    /// Luma, and two planes of chroma with half of the columns and rows.
    ///
    /// - Parameters:
    ///   - blue: the plane of blue difference.
    ///   - red: the plane of red difference.
    private static func planar420(blue: Int, red: Int, isDivided: Bool = false) -> PixelLayout {
        let chroma = Plane(bits: 4, strideDivisor: isDivided ? 1 : 2, rowsOfTwo: 1)
        return PixelLayout(
            [Plane(bits: 8, strideDivisor: 1, rowsOfTwo: 2), chroma, chroma],
            [luma] + [blue, red].map { Component(plane: $0, offset: 0, step: 1) }, isDivided: isDivided)
    }

    /// Luma, and a plane in which the two chroma samples alternate.
    ///
    /// - Parameters:
    ///   - blue: 0: blue difference comes first; 1: it comes second.
    ///   - red: the other one.
    private static func semiplanar(
        chromaRowsOfTwo: Int, blue: Int, red: Int, isDivided: Bool = false
    ) -> PixelLayout {
        PixelLayout(
            [
                Plane(bits: 8, strideDivisor: 1, rowsOfTwo: 2),
                Plane(bits: 8, strideDivisor: 1, rowsOfTwo: chromaRowsOfTwo),
            ],
            [luma] + [blue, red].map { Component(plane: 1, offset: $0, step: 2) }, isDivided: isDivided)
    }

    /// The formats of which pictures can be made, by their four-character codes.
    static let all: [String: PixelLayout] = [
        "YUYV": packed(16), "YVYU": packed(16), "UYVY": packed(16),
        "YU12": planar420(blue: 1, red: 2), "YV12": planar420(blue: 2, red: 1),
        "NV12": semiplanar(chromaRowsOfTwo: 1, blue: 0, red: 1),
        "NV16": semiplanar(chromaRowsOfTwo: 2, blue: 0, red: 1),
        "NV61": semiplanar(chromaRowsOfTwo: 2, blue: 1, red: 0),
        // The same with a plane of memory for each plane of samples: YUV420M, YVU420M, NV12M, NV21M, NV16M,
        // NV61M.
        "YM12": planar420(blue: 1, red: 2, isDivided: true),
        "YM21": planar420(blue: 2, red: 1, isDivided: true),
        "NM12": semiplanar(chromaRowsOfTwo: 1, blue: 0, red: 1, isDivided: true),
        "NM21": semiplanar(chromaRowsOfTwo: 1, blue: 1, red: 0, isDivided: true),
        "NM16": semiplanar(chromaRowsOfTwo: 2, blue: 0, red: 1, isDivided: true),
        "NM61": semiplanar(chromaRowsOfTwo: 2, blue: 1, red: 0, isDivided: true),
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
    /// For each plane of memory, the bytes from its start to the end of the last row in it.
    var lengths: [Int] {
        reduce(into: []) { lengths, rows in
            if rows.memory < lengths.count {
                lengths[rows.memory] = Swift.max(lengths[rows.memory], rows.end)
            } else {
                lengths.append(rows.end)
            }
        }
    }
}
