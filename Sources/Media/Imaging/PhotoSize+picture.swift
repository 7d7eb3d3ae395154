import Cameras

extension PhotoSize {
    /// The size, but no larger than the picture: more pixels would show no more detail and need much more
    /// memory.
    ///
    /// Reads the header of a JPEG.
    ///
    /// - Throws: ``ImagingError`` when the header of a JPEG cannot be read.
    func within(_ picture: Picture) throws(ImagingError) -> PhotoSize {
        switch picture {
        case .planar(let planes): return within(width: planes.width, height: planes.height)
        case .jpeg(let bytes):
            let header = try JPEGHeader(of: bytes)
            return within(width: header.width, height: header.height)
        case .h264(let video): return within(width: video.width, height: video.height)
        case .oriented(let inner, let orientation):
            // The limits are those of the turned picture.
            return try turned(by: orientation).within(inner).turned(by: orientation)
        }
    }

    private func turned(by orientation: Orientation) -> PhotoSize {
        orientation.swapsSides ? PhotoSize(width: height, height: width) : self
    }

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
