import Cameras

/// A request for a reduced copy of a picture that is decoded for another purpose, so that it is decoded once.
struct ReducedCopy {
    /// The part that the copy shows; inside the picture.
    private let shown: Region
    /// How the copy is turned after it was made.
    private(set) var orientation = Orientation.upright
    private let maximumWidth: Int
    let use: (PlanarPicture) -> Void

    /// - Parameters:
    ///   - region: the part to show; what of it lies outside the picture is cut off.
    ///   - width: pixels in a row that the copy has at most, 1…``JPEGHeader/longestSide``. It is never wider
    ///     than the picture.
    ///   - use: gets the copy, in ``Sampling/yuv420`` and full range.
    /// - Throws: ``ImagingError/badRequest(_:)``.
    init(
        showing region: Region, width: Int, use: @escaping (PlanarPicture) -> Void
    ) throws(ImagingError) {
        (shown, maximumWidth, self.use) = (try region.insidePicture(), width, use)
    }

    /// The part of the picture as it is before the copy is turned.
    var region: Region { orientation.inverse.region(shown) }

    /// The same copy of a picture that is still to be turned.
    func turned(by orientation: Orientation) -> ReducedCopy {
        var copy = self
        copy.orientation = orientation.then(self.orientation)
        return copy
    }

    /// The exact size, which is that of a photo that has to fit in the width, before the copy is turned.
    func target(in head: JPEGHeader) throws(ImagingError) -> PictureTarget {
        let picture = orientation.size(head.width, head.height)
        let made = try PhotoSize.ofPhoto(
            showing: shown, width: picture.width, height: picture.height,
            fitting: PhotoSize(width: min(maximumWidth, picture.width)))
        let size = orientation.size(made.width, made.height)
        return try PictureTarget(showing: region, width: size.width, height: size.height)
    }
}
