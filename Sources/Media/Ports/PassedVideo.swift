internal import Cameras

/// Which access units of a camera's own video are stored: each once, in their order, and none without those
/// that it needs.
final class PassedVideo {
    /// An access unit.
    struct Place {
        let stream: H264Picture.StreamID
        let ordinal: Int
    }

    /// The last access unit that was stored.
    private(set) var last: Place?
    private var isBegun = false
    private let start: ContinuousClock.Instant

    /// The camera's own video for a file; nil: its pictures are encoded.
    ///
    /// A recording that was encoded once stays so: the key frame with which another file would have to begin
    /// may be seconds ago, and then those would be in both files.
    ///
    /// - Parameters:
    ///   - first: the first frame of the file, which may be stored as the camera encoded it.
    ///   - isFirstFile: whether the recording begins.
    ///   - earlier: what the file before stores; nil: there is none, or its pictures are encoded.
    static func beginning(
        with first: RecordedFrame, isFirstFile: Bool, after earlier: PassedVideo?
    ) -> PassedVideo? {
        guard case .h264(let picture) = first.frame.picture else { return nil }
        let start = first.recordingStart
        if let earlier { return PassedVideo(from: start, after: earlier.last) }
        guard isFirstFile, picture.units.contains(where: { $0.isKey && $0.exposedAt >= start }) else {
            return nil
        }
        return PassedVideo(from: start, after: nil)
    }

    /// - Parameters:
    ///   - start: no access unit that was exposed before is stored.
    ///   - last: of the file before; nil: there is none.
    init(from start: ContinuousClock.Instant, after last: Place?) { (self.start, self.last) = (start, last) }

    /// The access units to be stored next, up to a picture. If some are missing, they begin with a key frame.
    func units(of picture: H264Picture) -> ArraySlice<H264AccessUnit> {
        let units = picture.units[...]
        guard let last, last.stream == picture.stream else {
            return fromKey(units.drop { $0.exposedAt < start })
        }
        let following = units.drop { $0.ordinal <= last.ordinal }
        if isBegun, following.first?.ordinal == last.ordinal + 1 { return following }
        return fromKey(following)
    }

    func wrote(_ unit: H264AccessUnit, of stream: H264Picture.StreamID) {
        last = Place(stream: stream, ordinal: unit.ordinal)
        isBegun = true
    }

    private func fromKey(_ units: ArraySlice<H264AccessUnit>) -> ArraySlice<H264AccessUnit> {
        units.drop { !$0.isKey }
    }
}
