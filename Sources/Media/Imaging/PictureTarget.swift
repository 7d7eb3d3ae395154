internal import Cameras

/// A part of a picture at an exact size, and what of the picture has to be decoded for it.
struct PictureTarget {
    /// Inside the picture.
    let region: Region
    /// Pixels in a row.
    let width: Int
    let height: Int

    /// - Throws: ``ImagingError/badRequest(_:)``, ``ImagingError/tooLarge(width:height:)``.
    init(showing region: Region, width: Int, height: Int) throws(ImagingError) {
        self.region = try region.insidePicture()
        guard width > 0, height > 0 else { throw .badRequest("a size of \(width)×\(height) pixels is none") }
        guard max(width, height) <= JPEGHeader.longestSide else {
            throw .tooLarge(width: width, height: height)
        }
        (self.width, self.height) = (width, height)
    }

    /// The largest divisor (1, 2, 4 or 8) by which a JPEG can be reduced while it is decoded, without having
    /// to be scaled up again.
    func reduction(of head: JPEGHeader) -> Int {
        let (shownWidth, shownHeight) = (
            region.width * Double(head.width), region.height * Double(head.height)
        )
        var reduction = 1
        while reduction < 8, shownWidth >= Double(2 * reduction * width),
            shownHeight >= Double(2 * reduction * height)
        {
            reduction *= 2
        }
        return reduction
    }

    /// The rows that the filter needs.
    ///
    /// - Parameter whole: rows of the picture.
    func rows(of whole: Double, _ sampling: Sampling) -> Range<Int> {
        let (start, length) = (region.y * whole, region.height * whole)
        // Chroma's filter reaches farthest.
        let reach = Double(sampling.rows) * (Lanczos.reach * max(1, length / Double(height)) + 2)
        let lower = max(0, Int((start - reach).rounded(.down)))
        return lower..<min(Int((start + length + reach).rounded(.up)), Int(whole.rounded(.up)))
    }
}
