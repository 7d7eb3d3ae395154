package import Cameras

/// Makes JPEGs of pictures: encodes the planes that ``FrameMaker`` makes.
///
/// It belongs to one thread, where it may take milliseconds. It keeps its memory, so that after the first
/// photo of a size the bytes that it returns are the only large thing allocated (besides what libjpeg-turbo
/// needs for progressive JPEGs).
package final class PhotoMaker {
    /// JPEG quality, 1…100, of a photo for which none was requested.
    static let defaultQuality = 90

    private let frames: FrameMaker
    private let encoder: JPEGEncoder
    /// Made when it is first needed.
    private var turner: JPEGTurner?

    /// - Throws: ``ImagingError/library(_:)``.
    package init() throws(ImagingError) {
        frames = try FrameMaker()
        encoder = try JPEGEncoder()
    }

    /// JPEGs that were decoded, also damaged ones.
    var decodings: Int { frames.decodings }

    /// A size, but no larger than the picture: more pixels would show no more detail and need much more
    /// memory. Of a JPEG only the header is read.
    ///
    /// - Throws: ``ImagingError``.
    func limited(_ size: PhotoSize, to picture: Picture) throws(ImagingError) -> PhotoSize {
        let shape = try frames.shape(of: picture)
        return size.within(width: shape.width, height: shape.height)
    }

    /// The mean luma of a picture, 0…1.
    func brightness(of picture: Picture) throws(ImagingError) -> Double {
        // Quickly decoded, and enough to compare exposures.
        try frames.withPlanes(of: picture, width: 64, height: 36, sampling: .gray) { planes in
            let luma = planes.luma
            var sum = 0
            for row in 0..<luma.height {
                for column in 0..<luma.width { sum += Int(luma.base[row * luma.stride + column]) }
            }
            return Double(sum) / Double(luma.width * luma.height) / 255
        }
    }

    /// - Parameters:
    ///   - region: the part of the picture to show; what of it lies outside the picture is cut off. Its edges
    ///     may lie between pixels.
    ///   - size: what the photo has to fit in. Nil is the picture's own size, to which a smaller region is
    ///     scaled up, as phones do.
    ///   - sampling: nil leaves it as it is, but for a picture that is enlarged so far that 4:2:0 has all of
    ///     its colour.
    ///   - quality: of the JPEG, 1…100. With nil, a camera's JPEG that needn't be changed is passed through
    ///     untouched, one that has only to be turned is turned without loss where its size permits it, and
    ///     any other photo has ``defaultQuality``.
    /// - Throws: ``ImagingError``. The maker can be used again.
    package func photo(
        of picture: Picture, showing region: Region = .whole, fitting size: PhotoSize? = nil,
        sampling: Sampling? = nil, quality: Int? = nil, effect: Effect = .none
    ) throws(ImagingError) -> Photo {
        let own = try frames.shape(of: picture)
        let shown = try region.insidePicture()
        let size = try PhotoSize.ofPhoto(
            showing: shown, width: own.width, height: own.height, fitting: size)
        let coarse = own.sampling(for: shown, width: size.width, height: size.height)
        let job = PhotoJob(
            picture: picture, region: region, width: size.width, height: size.height,
            sampling: sampling ?? (coarse == own.sampling ? nil : coarse), quality: quality, effect: effect)
        let way = try job.way(from: own, keepsQuality: quality == nil, isFrame: false)
        if case .passedThrough(let bytes) = way {
            return Photo(bytes: bytes, width: job.width, height: job.height, quality: nil)
        }
        return try withJPEG(job, way) { $0.copy }
    }

    /// A JPEG of an exact size that is lent, not allocated: for the frames of a movie. A camera's JPEG that
    /// has this size already is passed through, or turned without loss, if neither a sampling nor an effect
    /// is requested.
    ///
    /// - Parameters:
    ///   - region: the part to show, stretched to the size.
    ///   - sampling: nil leaves it as it is.
    ///   - quality: of a JPEG that is encoded, 1…100; nil: ``defaultQuality``.
    ///   - copy: see ``FrameMaker/withPlanes(of:showing:width:height:sampling:effect:beside:_:)``; without
    ///     effect where the JPEG is passed through or turned without loss.
    ///   - body: gets the JPEG, which is valid until it returns.
    /// - Throws: ``ImagingError``. The maker can be used again.
    func withJPEG<Result>(
        of picture: Picture, showing region: Region = .whole, width: Int, height: Int,
        sampling: Sampling? = nil, quality: Int? = nil, effect: Effect = .none,
        beside copy: ReducedCopy? = nil, _ body: (BorrowedPhoto) -> Result
    ) throws(ImagingError) -> Result {
        let job = PhotoJob(
            picture: picture, region: region, width: width, height: height, sampling: sampling,
            quality: quality, effect: effect)
        let way = try job.way(from: frames.shape(of: picture), keepsQuality: true, isFrame: true)
        return try withJPEG(job, way, beside: copy, body)
    }

    private func withJPEG<Result>(
        _ job: PhotoJob, _ way: PhotoJob.Way, beside copy: ReducedCopy? = nil,
        _ body: (BorrowedPhoto) -> Result
    ) throws(ImagingError) -> Result {
        func lend(_ bytes: UnsafeBufferPointer<UInt8>) -> Result {
            body(BorrowedPhoto(bytes: bytes, width: job.width, height: job.height, quality: nil))
        }
        switch way {
        case .passedThrough(let bytes): return bytes.withUnsafeBufferPointer(lend)
        case .turned(let bytes, let orientation):
            let ready = if let turner { turner } else { try JPEGTurner() }
            turner = ready
            if let result = try ready.turn(bytes, by: orientation, lend) { return result }
        case .encoded: break
        }
        let quality = job.quality ?? Self.defaultQuality
        return try frames.withPlanes(
            of: job.picture, showing: job.region, width: job.width, height: job.height,
            sampling: job.sampling, effect: job.effect, beside: copy
        ) { planes throws(ImagingError) in
            try encoder.encode(planes, quality: quality) { bytes in
                body(BorrowedPhoto(bytes: bytes, width: job.width, height: job.height, quality: quality))
            }
        }
    }
}

/// A request to a ``PhotoMaker``.
private struct PhotoJob {
    let picture: Picture
    let region: Region
    let width, height: Int
    let sampling: Sampling?
    let quality: Int?
    let effect: Effect

    enum Way {
        /// The picture is a whole JPEG that already has the requested properties.
        case passedThrough([UInt8])
        /// It has them after a turn. If a turn without loss is impossible, it is encoded.
        case turned([UInt8], Orientation)
        case encoded
    }

    /// How the JPEG is made.
    ///
    /// - Parameters:
    ///   - own: what the picture is.
    ///   - keepsQuality: whether a JPEG may be passed through, whatever its quality is.
    ///   - isFrame: whether it is for a movie, whose frames all have the sampling of those that are encoded.
    func way(from own: Shape, keepsQuality: Bool, isFrame: Bool) throws(ImagingError) -> Way {
        if let quality, !(1...100).contains(quality) {
            throw .badRequest("a JPEG's quality is 1…100, not \(quality)")
        }
        let isUnchanged =
            try region.insidePicture().isWhole(width: own.width, height: own.height) && keepsQuality
            && sampling == nil && effect == .none && (width, height) == (own.width, own.height)
        switch picture {
        case .jpeg(let bytes) where isUnchanged:
            try bytes.withUnsafeBufferPointer { bytes throws(ImagingError) in
                try checkEnd(ofJPEG: bytes)
                // The receivers of the photo would need minutes to decode it.
                try checkScans(ofJPEG: bytes)
            }
            return .passedThrough(bytes)
        case .oriented(.jpeg(let bytes), let orientation) where isUnchanged:
            let suits = own.samplingWithoutLoss.map { isFrame ? $0 == own.sampling : true } ?? false
            return suits ? .turned(bytes, orientation) : .encoded
        default: return .encoded
        }
    }
}
