package import Picture

/// Makes planes of pictures, for photos and for movies: decoded, cut out, scaled, with an effect.
///
/// It belongs to one thread, where it may take milliseconds. It keeps its memory from one picture to the
/// next. A picture that can't be decoded is an error, after which it can be used again.
package final class FrameMaker {
    private let decoder: JPEGDecoder
    private let scaler = PlaneScaler()
    private let filter = EffectFilter()

    /// - Throws: ``ImagingError/library(_:)``.
    package init() throws(ImagingError) {
        decoder = try JPEGDecoder()
    }

    /// The size and the sampling of a picture. Of a JPEG only the header is read.
    ///
    /// - Throws: ``ImagingError``.
    func shape(of picture: Picture) throws(ImagingError) -> Shape {
        switch picture {
        case .jpeg(let bytes):
            let header = try decoder.head(of: bytes)
            return Shape(width: header.width, height: header.height, sampling: header.sampling)
        case .planar(let picture):
            let (width, height) = (picture.width, picture.height)
            guard max(width, height) <= JPEGHeader.longestSide else {
                throw .tooLarge(width: width, height: height)
            }
            return Shape(width: width, height: height, sampling: Sampling(picture.subsampling))
        }
    }

    /// A part of a picture at an exact size, as full-range BT.601, as JPEG has it.
    ///
    /// - Parameters:
    ///   - region: the part to show, stretched to the size; what of it lies outside the picture is cut off.
    ///     Its edges may lie between pixels.
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
        // The planes of a planar picture are valid only until its closure ends.
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
        func finish(_ window: Window, as own: Sampling, copies: Bool) throws(ImagingError) -> Result {
            // A picture without chroma planes can't be tinted.
            let own = effect == .sepia && own == .gray ? .yuv420 : own
            let scaled = scaler.scale(
                window, to: sampling ?? own, width: width, height: height, copies: copies)
            return try body(filter.apply(effect, to: scaled))
        }
        switch picture {
        case .jpeg(let bytes):
            let (window, own) = try decode(bytes, region, width: width, height: height)
            return try finish(window, as: own, copies: false)
        case .planar(let picture):
            guard max(picture.width, picture.height) <= JPEGHeader.longestSide else {
                throw .tooLarge(width: picture.width, height: picture.height)
            }
            return try Planes.of(picture) { planes throws(ImagingError) in
                try finish(Window(region, of: planes), as: planes.sampling, copies: copies)
            }
        }
    }

    /// Decodes what the region needs, as small as can be without having to be scaled up again to `width` ×
    /// `height`.
    private func decode(
        _ bytes: [UInt8], _ region: Region, width: Int, height: Int
    ) throws(ImagingError) -> (Window, Sampling) {
        var reduction = 1
        var whole = (width: 0.0, height: 0.0)
        var own = Sampling.gray
        let part = try decoder.decode(bytes) { head throws(ImagingError) in
            let shown = (
                width: region.width * Double(head.width), height: region.height * Double(head.height)
            )
            while reduction < 8, shown.width >= Double(2 * reduction * width),
                shown.height >= Double(2 * reduction * height)
            {
                reduction *= 2
            }
            own = head.sampling
            whole = (Double(head.width) / Double(reduction), Double(head.height) / Double(reduction))
            return (reduction, rows(region, of: whole.height, height: height, own))
        }
        let window = Window(
            planes: part.planes, x: region.x * whole.width, y: region.y * whole.height - Double(part.top),
            width: region.width * whole.width, height: region.height * whole.height)
        return (window, own)
    }

    /// The rows that the filter needs.
    ///
    /// - Parameter whole: rows of the picture.
    private func rows(_ region: Region, of whole: Double, height: Int, _ sampling: Sampling) -> Range<Int> {
        let (start, length) = (region.y * whole, region.height * whole)
        // Chroma's filter reaches farthest.
        let reach = Double(sampling.rows) * (Lanczos.reach * max(1, length / Double(height)) + 2)
        let lower = max(0, Int((start - reach).rounded(.down)))
        return lower..<min(Int((start + length + reach).rounded(.up)), Int(whole.rounded(.up)))
    }
}
