package import Settings

extension OutputPixelFormat {
    /// How many luma samples share a chroma sample.
    package var sampling: Sampling {
        switch self {
        case .yuyv, .uyvy: .yuv422
        case .nv12, .yu12, .yv12: .yuv420
        }
    }
}

/// The form in which an output device takes pictures.
package struct OutputFormat: Sendable, Equatable {
    package let pixels: OutputPixelFormat
    /// Pixels in a row, and rows: even numbers of at least 2.
    package let width: Int
    package let height: Int
    /// Where the rows are, by planes of samples.
    package let rows: [PixelLayout.Rows]
    /// Bytes of a picture to the end of its last row.
    package let pictureBytes: Int
    /// The same with what the driver reserves behind it.
    package let byteCount: Int

    /// What a driver may reserve beside the samples, in bytes.
    private static let mostPadding = 1 << 20

    /// - Parameters:
    ///   - stride: bytes from a row of the first plane of samples to the next one; 0: rows are not padded.
    ///   - size: bytes of a picture, as the driver reports it.
    /// - Returns: nil if a picture of this size can't be in so many bytes, or if they are many more than it
    ///   needs.
    package init?(
        _ pixels: OutputPixelFormat, width: Int, height: Int, stride: Int = 0, size: Int? = nil
    ) {
        guard width >= 2, height >= 2, width <= 16_384, height <= 16_384, width.isMultiple(of: 2),
            height.isMultiple(of: 2),
            let layout = PixelLayout(of: pixels.rawValue),
            let rows = layout.rows(width: width, height: height, strides: [stride]),
            let end = rows.map(\.end).max(), end <= size ?? end,
            size ?? end <= 8 * width * height + Self.mostPadding
        else { return nil }
        (self.pixels, self.width, self.height, self.rows) = (pixels, width, height, rows)
        pictureBytes = end
        byteCount = size ?? end
    }
}
