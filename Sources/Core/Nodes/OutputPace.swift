/// When a virtual camera shows its pictures: at its own rate, whatever the rate of the camera is.
///
/// A new frame is shown as soon as it comes, if it is at most half a period early. If none comes, the picture
/// before is shown again half a period late. So frames that come at the same rate are all shown once, without
/// a wait; slower ones are repeated and faster ones left out.
struct OutputPace {
    private let period: Duration
    /// When the next picture is shown, if frames come without jitter.
    private var due: ContinuousClock.Instant

    /// - Parameter rate: pictures per second, above 0.
    init(rate: Double, start: ContinuousClock.Instant) { (period, due) = (.seconds(1 / rate), start) }

    /// When a picture may be shown.
    ///
    /// - Parameter hasNewFrame: a frame waits that wasn't shown yet.
    func time(hasNewFrame: Bool) -> ContinuousClock.Instant {
        due.advanced(by: hasNewFrame ? period / -2 : period / 2)
    }

    /// A picture is given to the device.
    mutating func shown(at now: ContinuousClock.Instant) {
        // After a pause nothing is made up for.
        due = max(due.advanced(by: period), now.advanced(by: period / 2))
    }
}
