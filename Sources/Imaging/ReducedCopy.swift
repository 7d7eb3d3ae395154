package import Picture

/// A request for a reduced copy of a picture that is decoded for another purpose, so that it is decoded once.
package struct ReducedCopy {
    /// The part of the picture that the copy shows; inside the picture.
    let region: Region
    private let maximumWidth: Int
    let use: (PlanarPicture) -> Void

    /// - Parameters:
    ///   - region: the part to show; what of it lies outside the picture is cut off.
    ///   - width: pixels in a row that the copy has at most, 1…``JPEGHeader/longestSide``. It is never wider
    ///     than the picture.
    ///   - use: gets the copy, in ``Sampling/yuv420`` and full range.
    /// - Throws: ``ImagingError/badRequest(_:)``.
    package init(
        showing region: Region, width: Int, use: @escaping (PlanarPicture) -> Void
    ) throws(ImagingError) {
        (self.region, maximumWidth, self.use) = (try region.insidePicture(), width, use)
    }

    /// The exact size, which is that of a photo that has to fit in the width.
    func target(in head: JPEGHeader) throws(ImagingError) -> PictureTarget {
        let size = try PhotoSize.ofPhoto(
            showing: region, width: head.width, height: head.height,
            fitting: PhotoSize(width: min(maximumWidth, head.width)))
        return try PictureTarget(showing: region, width: size.width, height: size.height)
    }
}
