internal import Picture

/// The pixels of a picture that a ``Region`` names.
struct PixelRectangle: Equatable {
    let x: Int
    let y: Int
    let width: Int
    let height: Int

    /// Each edge of the region goes to the nearest edge between chroma samples (or the picture's own edge),
    /// because the planes are cropped by their pointers and luma has to stay over its chroma. So an edge is
    /// off by at most half a chroma sample: half a pixel in 4:4:4, one pixel across in 4:2:2 and 4:2:0. The
    /// rectangle is never empty: a region smaller than a chroma sample becomes the one that it begins in.
    ///
    /// - Parameters:
    ///   - region: inside the picture, see ``Region/insidePicture()``.
    ///   - width: pixels in a row of the picture as it was decoded, which may be a reduced one.
    ///   - height: its rows.
    init(_ region: Region, width: Int, height: Int, sampling: Sampling) {
        let columns = Self.span(from: region.x, length: region.width, of: width, step: sampling.columns)
        let rows = Self.span(from: region.y, length: region.height, of: height, step: sampling.rows)
        x = columns.lowerBound
        y = rows.lowerBound
        self.width = columns.count
        self.height = rows.count
    }

    private static func span(from start: Double, length: Double, of count: Int, step: Int) -> Range<Int> {
        let unit = Double(step)
        let last = (count - 1) / step
        let lower = min(Int((start * Double(count) / unit).rounded()), last)
        let upper = Int(((start + length) * Double(count) / unit).rounded())
        return lower * step..<min(max(upper, lower + 1) * step, count)
    }
}

extension Region {
    /// The region with what lies outside the picture cut off.
    ///
    /// - Throws: ``ImagingError/badRequest(_:)`` when nothing is left, or a number is not finite.
    func insidePicture() throws(ImagingError) -> Region {
        let numbers = [x, y, width, height]
        let left = max(x, 0)
        let top = max(y, 0)
        let right = min(x + width, 1)
        let bottom = min(y + height, 1)
        guard numbers.allSatisfy(\.isFinite), right > left, bottom > top else {
            throw .badRequest("there is nothing of the picture in \(self)")
        }
        return Region(x: left, y: top, width: right - left, height: bottom - top)
    }
}
