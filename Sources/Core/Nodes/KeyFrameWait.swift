internal import Cameras

/// Where the recording of a camera's own video begins: with the first key frame that is exposed after the
/// start. Pure.
///
/// A camera may send key frames seldom, or never. After ``limit`` the pictures are decoded and encoded
/// instead, which needs no new key frame: the stream has one from before the start.
struct KeyFrameWait {
    /// How long a recording waits for a key frame, from its start to the exposure of a frame. Most encoders
    /// send one every second or two; a camera that has a control for it sends one on request.
    static let limit = Duration.seconds(5)
    /// A request for a frame that fails so long after the start, before the recording's first frame, is the
    /// last one. The backend waits for so long by itself where no key frame comes at all.
    static let longestStart = Duration.seconds(10)

    /// How a recording begins.
    enum Beginning: Equatable {
        /// With the camera's own video, from this access unit on.
        case keyFrame(number: Int, exposedAt: ContinuousClock.Instant)
        /// With an encoded picture, of this frame.
        case encoded
    }

    /// - Parameters:
    ///   - frame: the newest one.
    ///   - video: its access units.
    ///   - start: when frames were first requested.
    /// - Returns: nil: the recording waits on.
    static func beginning(
        with frame: Frame, _ video: H264Picture, after start: ContinuousClock.Instant
    ) -> Beginning? {
        if let key = video.units.first(where: { $0.isKey && $0.exposedAt >= start }) {
            return .keyFrame(number: key.number, exposedAt: key.exposedAt)
        }
        return start.duration(to: frame.exposedAt) >= limit ? .encoded : nil
    }
}
