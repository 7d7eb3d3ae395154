internal import Base
internal import Cameras

/// The device of a virtual camera while it is open: what it shows, and what it is given next.
final class OutputInUse {
    /// What a picture of the camera was made from.
    private struct Source: Equatable {
        let exposedAt: ContinuousClock.Instant
        let view: Region
        let effect: Effect
    }

    /// A picture is repeated for so long when no new frame comes; then it is black.
    private static let longestPause = Duration.seconds(5)

    let format: OutputFormat
    let rate: Double
    private let output: any ActiveOutput
    private var pace: OutputPace
    /// Of the last picture that was given to the device; nil: it is black.
    private var source: Source?
    /// Until when the picture of the last intact frame is repeated.
    private var end: ContinuousClock.Instant
    private var phase = Phase.first
    /// A picture of the camera may be on the device, or on its way there.
    private var hasCameraPicture = false
    /// Nil: no call is under way. Otherwise whether it takes very long.
    private var call: (isBlocked: Bool, begin: ContinuousClock.Instant)?
    /// Nil: the driver doesn't report it.
    private(set) var isRead: Bool?
    /// When the last call was begun.
    private(set) var lastCall: ContinuousClock.Instant

    private enum Phase {
        /// The device has no picture.
        case first
        /// The next picture is black, and is shown at once.
        case black
        case regular
    }

    init(
        _ output: any ActiveOutput, _ format: OutputFormat, rate: Double, at now: ContinuousClock.Instant
    ) {
        (self.output, self.format, self.rate) = (output, format, rate)
        (pace, end, lastCall) = (OutputPace(rate: rate, start: now), now, now)
    }

    /// Whether a call is under way.
    var isBusy: Bool { call != nil }

    /// Whether a picture of the camera may be on the device, or on its way there. One that is in a call that
    /// doesn't return was withdrawn.
    var showsCamera: Bool { hasCameraPicture && call?.isBlocked != true }

    /// When the next picture may be given to the device.
    func timeOfNext(_ newest: Frame?) -> ContinuousClock.Instant {
        switch phase {
        case .first, .black: lastCall
        case .regular: pace.time(hasNewFrame: newest != nil && newest?.exposedAt != source?.exposedAt)
        }
    }

    /// The next picture.
    ///
    /// - Parameters:
    ///   - frame: the newest frame; nil: there is none.
    ///   - view: the part of it that is in view.
    ///   - pause: how long frames may be apart, if that is longer than five seconds.
    func next(
        _ frame: Frame?, view: Region?, effect: Effect, pause: Duration, at now: ContinuousClock.Instant
    ) -> OutputPicture {
        let last = phase
        phase = .regular
        if let frame, let view, last != .black,
            frame.exposedAt.advanced(by: max(Self.longestPause, pause)) > now
        {
            let wanted = Source(exposedAt: frame.exposedAt, view: view, effect: effect)
            if wanted == source { return .again }
            (source, hasCameraPicture) = (wanted, true)
            return .frame(frame, view: view, effect: effect)
        }
        if last == .regular, source == nil { return .again }
        source = nil
        return .black
    }

    /// Gives the device a picture.
    func begin(
        _ picture: OutputPicture, at now: ContinuousClock.Instant, then: @escaping (OutputReport) -> Void
    ) {
        call = (false, now)
        lastCall = now
        if case .nothing = picture {} else { pace.shown(at: now) }
        output.show(picture, then: then)
    }

    /// The call under way doesn't return.
    func block() { call?.isBlocked = true }

    /// The call has returned.
    ///
    /// - Parameter isDamaged: nothing could be made of the frame.
    func finished(
        _ picture: OutputPicture, isDamaged: Bool, isRead: Bool?, at now: ContinuousClock.Instant
    ) {
        (call, self.isRead) = (nil, isRead)
        switch picture {
        case .frame where isDamaged:
            // The device has the picture before once more.
            if now >= end { phase = .black }
        case .frame: end = now.advanced(by: Self.longestPause)
        case .black: hasCameraPicture = false
        case .again, .nothing: break
        }
    }

    /// The next picture is black, and the one that is under way isn't shown any more.
    func becomeBlack() {
        guard source != nil || hasCameraPicture else { return }
        phase = .black
        output.withdrawPictures()
    }
}
