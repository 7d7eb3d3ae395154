import Cameras

/// Makes planes of pictures, for photos and for movies: decoded, cut out, scaled, with an effect.
///
/// It belongs to one thread, where it may take milliseconds. It keeps its memory from one picture to the
/// next. A picture that can't be decoded is an error, after which it can be used again.
final class FrameMaker {
    private let decoder: JPEGDecoder
    private let scaler = PlaneScaler()
    private let filter = EffectFilter()
    private let turner = PictureTurner()

    /// - Throws: ``ImagingError/library(_:)``.
    init() throws(ImagingError) {
        decoder = try JPEGDecoder()
    }

    /// JPEGs that were decoded, also damaged ones.
    var decodings: Int { decoder.decodings }

    /// The size and the sampling of a picture. Of a JPEG only the header is read.
    ///
    /// - Throws: ``ImagingError``.
    func shape(of picture: Picture) throws(ImagingError) -> Shape {
        switch picture {
        case .jpeg(let bytes):
            let header = try decoder.head(of: bytes)
            return Shape(
                width: header.width, height: header.height, sampling: header.sampling,
                samplingWithoutLoss: header.sampling)
        case .planar(let picture):
            let (width, height) = (picture.width, picture.height)
            guard max(width, height) <= JPEGHeader.longestSide else {
                throw .tooLarge(width: width, height: height)
            }
            return Shape(
                width: width, height: height, sampling: picture.sampling,
                samplingWithoutLoss: picture.sampling)
        case .h264: throw .undecoded
        case .oriented(let inner, let orientation):
            return try shape(of: inner).turned(by: orientation)
        }
    }

    /// Lends a part of a picture at an exact size, as full-range BT.601, as JPEG has it. What a planar
    /// picture has in the right form already is not copied.
    ///
    /// - Parameters:
    ///   - region: the part to show, stretched to the size; what of it lies outside the picture is cut off.
    ///     Its edges may lie between pixels.
    ///   - width: pixels in a row, 1…``JPEGHeader/longestSide``.
    ///   - height: rows, in the same range.
    ///   - sampling: what the planes are to have; nil leaves it as it is. Chroma is averaged where it gets
    ///     coarser, and is 128 in what was gray.
    ///   - copy: a reduced copy that is needed besides. It is made before `body` is called, of the same
    ///     decoded picture, and without effect. Not of a planar picture, which costs nothing to use twice.
    ///   - body: gets planes that are valid until it returns.
    /// - Throws: ``ImagingError``.
    func withPlanes<Result>(
        of picture: Picture, showing region: Region = .whole, width: Int, height: Int,
        sampling: Sampling? = nil, effect: Effect = .none, beside copy: ReducedCopy? = nil,
        _ body: (Planes) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
        let target = try PictureTarget(showing: region, width: width, height: height)
        switch picture {
        case .jpeg(let bytes):
            let decoded = try decode(bytes, for: target, beside: copy)
            if let copy, let size = decoded.copySize {
                let made = scaler.picture(decoded.window(copy.region), width: size.width, height: size.height)
                copy.use(try turner.turn(made, by: copy.orientation))
            }
            return try finish(
                decoded.window(target.region), as: decoded.sampling, target, sampling, effect, body)
        case .planar(let picture):
            guard max(picture.width, picture.height) <= JPEGHeader.longestSide else {
                throw .tooLarge(width: picture.width, height: picture.height)
            }
            return try Planes.of(picture) { planes throws(ImagingError) in
                try finish(
                    Window(target.region, of: planes), as: planes.sampling, target, sampling, effect, body)
            }
        case .h264: throw .undecoded
        case .oriented(let inner, let orientation):
            let own = try shape(of: picture).sampling
            guard let turned = (sampling ?? own).transposed(for: orientation) else {
                throw .badRequest("a picture that is turned has no 4:1:1")
            }
            // Scaled first: the turned picture is never larger than what is needed.
            let size = orientation.size(width, height)
            return try withPlanes(
                of: inner, showing: orientation.inverse.region(target.region), width: size.width,
                height: size.height, sampling: turned, effect: effect, beside: copy?.turned(by: orientation)
            ) { planes throws(ImagingError) in try body(turner.turn(planes, by: orientation)) }
        }
    }

    private func finish<Result>(
        _ window: Window, as own: Sampling, _ target: PictureTarget, _ sampling: Sampling?, _ effect: Effect,
        _ body: (Planes) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
        // A picture without chroma planes can't be tinted.
        let own = effect == .sepia && own == .gray ? .yuv420 : own
        let scaled = scaler.scale(
            window, to: sampling ?? own, width: target.width, height: target.height)
        return try body(filter.apply(effect, to: scaled))
    }

    /// Decodes what a target and a copy need, as small as can be without having to be scaled up again.
    private func decode(
        _ bytes: [UInt8], for target: PictureTarget, beside copy: ReducedCopy?
    ) throws(ImagingError) -> DecodedPart {
        var reduction = 1
        var head = (width: 0, height: 0, sampling: Sampling.gray)
        var copyTarget: PictureTarget?
        let part = try decoder.decode(bytes) { header throws(ImagingError) in
            head = (header.width, header.height, header.sampling)
            copyTarget = try copy?.target(in: header)
            reduction = min(target.reduction(of: header), copyTarget?.reduction(of: header) ?? 8)
            let height = Double(header.height) / Double(reduction)
            let rows = target.rows(of: height, header.sampling)
            guard let others = copyTarget?.rows(of: height, header.sampling) else { return (reduction, rows) }
            return (
                reduction,
                min(rows.lowerBound, others.lowerBound)..<max(rows.upperBound, others.upperBound)
            )
        }
        return DecodedPart(
            part: part, width: Double(head.width) / Double(reduction),
            height: Double(head.height) / Double(reduction), sampling: head.sampling,
            copySize: copyTarget.map { ($0.width, $0.height) })
    }
}

/// The decoded part of a JPEG, which may be reduced.
private struct DecodedPart {
    let part: JPEGDecoder.Part
    /// Of the whole picture at its reduction. Not rounded, so that regions stay where they are.
    let width: Double
    let height: Double
    /// Of the JPEG.
    let sampling: Sampling
    let copySize: (width: Int, height: Int)?

    func window(_ region: Region) -> Window {
        Window(
            planes: part.planes, x: region.x * width, y: region.y * height - Double(part.top),
            width: region.width * width, height: region.height * height)
    }
}
