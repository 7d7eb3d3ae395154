internal import Cameras

/// What a preview is made of: a frame, the part of it that is shown, and the zoom that this part shows.
struct PreviewPicture {
    let frame: Frame
    let shown: ShownZoom
    /// The part of a frame that is cut out of another one already; nil: what is shown of it.
    var cutOut: Region?

    var view: Region { cutOut ?? shown.view(on: frame) }
}

/// The preview's share in a recording: a frame that both need is decoded once, by the recording's encoder,
/// which gives the preview a reduced copy. One request at a time.
final class FrameSharing {
    struct Request {
        /// The frame is exposed at or after this time.
        let time: ContinuousClock.Instant
        /// Pixels in a row that the preview has at most.
        let width: Int
        /// Called once, not during the request; nil: no such frame was recorded.
        let then: (PreviewPicture?) -> Void
    }

    private enum State {
        case free
        case waiting(Request)
        /// The encoder has the frame. `ahead`: how many frames it has to encode until this one is done.
        case inEncoder(Request, PreviewPicture, ahead: Int)
    }

    private var state = State.free

    /// Requests the next frame that is recorded. Returns false while an earlier request is not answered.
    func request(_ request: Request) -> Bool {
        guard case .free = state else { return false }
        state = .waiting(request)
        return true
    }

    /// Notes a frame that the encoder gets now. Returns the width of the copy that is needed of it, if any.
    ///
    /// - Parameter framesInEncoder: with this one.
    func take(_ frame: Frame, shown: ShownZoom, framesInEncoder: Int) -> Int? {
        guard case .waiting(let request) = state, request.time <= frame.exposedAt else { return nil }
        state = .inEncoder(request, PreviewPicture(frame: frame, shown: shown), ahead: framesInEncoder)
        return request.width
    }

    /// The encoder has made the copy.
    func reduced(_ copy: PlanarPicture) {
        guard case .inEncoder(let request, let original, _) = state else { return }
        state = .free
        let frame = Frame(
            picture: .planar(copy), field: .whole, number: original.frame.number,
            exposedAt: original.frame.exposedAt)
        request.then(PreviewPicture(frame: frame, shown: original.shown, cutOut: .whole))
    }

    /// The encoder is done with a frame. One of which it made no copy needn't be decoded for the recording:
    /// the preview uses the frame itself.
    func frameEncoded() {
        guard case .inEncoder(let request, let picture, let ahead) = state else { return }
        if ahead > 1 {
            state = .inEncoder(request, picture, ahead: ahead - 1)
        } else {
            state = .free
            request.then(picture)
        }
    }

    /// No further frame is recorded.
    func recordingEnds() {
        guard case .waiting(let request) = state else { return }
        state = .free
        request.then(nil)
    }

    /// The recording has ended.
    func recordingEnded() {
        switch state {
        case .free: return
        case .waiting(let request), .inEncoder(let request, _, _):
            state = .free
            request.then(nil)
        }
    }
}
