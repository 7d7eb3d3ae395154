package import Picture

/// Makes planes of pictures, for photos and for movies: decoded, cut out, scaled, with an effect.
///
/// It belongs to one thread, where it may take milliseconds. It keeps its memory from one picture to the
/// next. A picture that can't be decoded is an error, after which it can be used again.
package final class FrameMaker {
    private let decoder = JPEGDecoder()
    private let scaler = PlaneScaler()
    private let filter = EffectFilter()

    package init() {}

    /// The size of a picture in pixels. Of a JPEG only the head is read.
    ///
    /// - Throws: ``ImagingError``.
    package func size(of picture: Picture) throws(ImagingError) -> (width: Int, height: Int) {
        switch picture {
        case .jpeg(let bytes):
            let header = try JPEGHeader(of: bytes)
            return (header.width, header.height)
        case .planar(let picture):
            let (width, height) = (picture.width, picture.height)
            guard max(width, height) <= JPEGHeader.longestSide else {
                throw .tooLarge(width: width, height: height)
            }
            return (width, height)
        }
    }

    /// A part of a picture at an exact size, as full-range BT.601, as JPEG has it.
    ///
    /// - Parameters:
    ///   - region: the part to show, stretched to the size; what of it lies outside the picture is cut off.
    ///     Its edges are rounded to at most half a chroma sample.
    ///   - width: pixels in a row, 1…``JPEGHeader/longestSide``.
    ///   - height: rows, in the same range.
    ///   - sampling: what the planes are to have; nil leaves it as it is. Chroma is averaged where it gets
    ///     coarser, and is 128 in what was gray.
    /// - Returns: planes that stay until the next call, and no longer than the maker.
    /// - Throws: ``ImagingError``.
    package func planes(
        of picture: Picture, showing region: Region = .whole, width: Int, height: Int,
        sampling: Sampling? = nil, effect: Effect = .none
    ) throws(ImagingError) -> Planes {
        // What a planar picture lends goes back when its closure ends.
        try withPlanes(
            of: picture, showing: region, width: width, height: height, sampling: sampling, effect: effect,
            copies: true
        ) { $0 }
    }

    /// The same as ``planes(of:showing:width:height:sampling:effect:)``, without copying what a planar
    /// picture has in the right form already.
    ///
    /// - Parameter body: gets planes that are valid until it returns.
    package func withPlanes<Result>(
        of picture: Picture, showing region: Region = .whole, width: Int, height: Int,
        sampling: Sampling? = nil, effect: Effect = .none, _ body: (Planes) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
        try withPlanes(
            of: picture, showing: region, width: width, height: height, sampling: sampling, effect: effect,
            copies: false, body)
    }

    private func withPlanes<Result>(
        of picture: Picture, showing region: Region, width: Int, height: Int, sampling: Sampling?,
        effect: Effect, copies: Bool, _ body: (Planes) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
        let region = try region.insidePicture()
        guard width > 0, height > 0 else { throw .badRequest("a size of \(width)×\(height) pixels is none") }
        guard max(width, height) <= JPEGHeader.longestSide else {
            throw .tooLarge(width: width, height: height)
        }
        func finish(_ planes: Planes, copies: Bool) throws(ImagingError) -> Result {
            let rectangle = PixelRectangle(
                region, width: planes.width, height: planes.height, sampling: planes.sampling)
            let scaled = scaler.scale(
                planes.cropped(to: rectangle), to: sampling ?? planes.sampling, width: width, height: height,
                copies: copies)
            return try body(filter.apply(effect, to: scaled))
        }
        switch picture {
        case .jpeg(let bytes):
            let header = try JPEGHeader(of: bytes)
            let shown = PixelRectangle(
                region, width: header.width, height: header.height, sampling: .yuv444)
            // As small as can be without having to be scaled up again.
            let reduction = [8, 4, 2].first { shown.width >= width * $0 && shown.height >= height * $0 }
            let planes = try decoder.decode(bytes, header: header, reducedBy: reduction ?? 1)
            return try finish(planes, copies: false)
        case .planar(let picture):
            guard max(picture.width, picture.height) <= JPEGHeader.longestSide else {
                throw .tooLarge(width: picture.width, height: picture.height)
            }
            return try Planes.of(picture) { planes throws(ImagingError) in
                try finish(planes, copies: copies)
            }
        }
    }
}
