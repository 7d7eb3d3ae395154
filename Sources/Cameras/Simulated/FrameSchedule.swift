/// The times at which a simulated camera exposes its frames: at a constant rate from a first one. Pure.
struct FrameSchedule {
    /// Frames per second.
    private let rate: Double
    private let first: (number: Int, exposedAt: ContinuousClock.Instant)

    /// - Parameter number: of the frame that is exposed at `time`.
    init(rate: Double, number: Int, exposedAt time: ContinuousClock.Instant) {
        (self.rate, first) = (rate, (number, time))
    }

    func number(ofFrameAtOrBefore time: ContinuousClock.Instant) -> Int {
        // At a frame's own time, rounding must not give the frame before: hence half a microsecond.
        first.number + Int((first.exposedAt.duration(to: time) / .seconds(1) + 5e-7) * rate)
    }

    func exposure(ofFrame number: Int) -> ContinuousClock.Instant {
        first.exposedAt.advanced(by: .seconds(Double(number - first.number) / rate))
    }
}
