internal import Contract

/// When the state of a preview has an error: why no frames are sent. Pure.
///
/// A single frame that fails among others is only counted. What has failed for ``delay`` is in the state,
/// until a frame has been sent again.
struct PreviewFailures {
    /// How long no frame has come when the state has the reason.
    static let delay = Duration.seconds(2)

    /// What the state has.
    private(set) var error: CommandError?
    /// When the camera gave the last frame.
    private var lastFrame: ContinuousClock.Instant?
    /// When the first frame in a row couldn't be encoded; nil: the last one was.
    private var unencodedSince: ContinuousClock.Instant?
    /// Whether a frame was encoded since the preview began.
    private var hasEncoded = false

    /// The camera gave a frame.
    mutating func frameCame(exposedAt time: ContinuousClock.Instant) { lastFrame = time }

    /// The camera gave none. Returns whether the state changes.
    mutating func noFrameCame(_ error: CommandError, at now: ContinuousClock.Instant) -> Bool {
        if let lastFrame, lastFrame.duration(to: now) < Self.delay { return false }
        return set(error)
    }

    /// A frame was encoded.
    mutating func frameEncoded() { (unencodedSince, hasEncoded) = (nil, true) }

    /// A frame couldn't be encoded. Returns whether the state changes.
    ///
    /// - Parameter isOfFrame: the next frame may be intact. Otherwise, before the first frame was encoded,
    ///   there is nothing to wait for.
    mutating func frameNotEncoded(
        _ error: CommandError, isOfFrame: Bool, at now: ContinuousClock.Instant
    ) -> Bool {
        let since = unencodedSince ?? now
        unencodedSince = since
        let isCertain = !isOfFrame && !hasEncoded
        guard isCertain || since.duration(to: now) >= Self.delay else { return false }
        return set(error)
    }

    /// A frame was sent. Returns whether the state changes.
    mutating func frameSent() -> Bool {
        defer { error = nil }
        return error != nil
    }

    private mutating func set(_ error: CommandError) -> Bool {
        defer { self.error = error }
        return self.error != error
    }
}
