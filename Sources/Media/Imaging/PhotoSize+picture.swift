import Cameras

extension PhotoSize {
    /// The largest size of the region's aspect ratio that fits, each side rounded to a pixel and at least
    /// one.
    ///
    /// - Parameters:
    ///   - region: of a picture of `width` × `height` pixels.
    ///   - size: nil, or one with neither side, is the picture's own size.
    static func ofPhoto(showing region: Region, width: Int, height: Int, fitting size: PhotoSize?)
        throws(ImagingError) -> (width: Int, height: Int)
    {
        let least = min(size?.width ?? 1, size?.height ?? 1)
        guard least >= 1 else { throw .badRequest("a photo's side has at least 1 pixel, not \(least)") }
        let isFree = size?.width == nil && size?.height == nil
        let boxWidth = isFree ? width : size?.width
        let boxHeight = isFree ? height : size?.height

        let shownWidth = region.width * Double(width)
        let shownHeight = region.height * Double(height)
        let scale = min(
            boxWidth.map { Double($0) / shownWidth } ?? .infinity,
            boxHeight.map { Double($0) / shownHeight } ?? .infinity)
        let photo = (max(1, (shownWidth * scale).rounded()), max(1, (shownHeight * scale).rounded()))
        let limit = Double(JPEGHeader.longestSide)
        guard photo.0 <= limit, photo.1 <= limit else {
            let wayBeyond = Double(Int32.max)
            throw .tooLarge(width: Int(min(photo.0, wayBeyond)), height: Int(min(photo.1, wayBeyond)))
        }
        return (Int(photo.0), Int(photo.1))
    }
}
