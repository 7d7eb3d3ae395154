internal import Glibc

/// A zoom that takes its time: steady in octaves (powers of two) per second, as the eye sees it.
struct Ramp: Equatable {
    /// Octaves per second that a ramp may have.
    static let rates = 0.001...1000.0

    let from: Double
    let to: Double
    /// Octaves per second, in ``rates``.
    let rate: Double
    let start: ContinuousClock.Instant
    /// Whether it lasts while somebody holds a button: nobody has said where it is to end, and ``to`` is where it would.
    var isHeld = false

    /// Octaves per second; out when negative.
    var velocity: Double { to < from ? -rate : rate }

    /// When it is at ``to``.
    var arrival: ContinuousClock.Instant {
        start.advanced(by: .seconds(abs(log2(to / from)) / rate))
    }

    /// Where a move at this velocity (octaves per second, out when negative) would be after so long.
    static func destination(from: Double, velocity: Double, after time: Duration) -> Double {
        from * exp2(velocity * (time / .seconds(1)))
    }

    /// The factor at a time; exactly ``to`` from ``arrival`` on.
    func factor(at now: ContinuousClock.Instant) -> Double {
        if now >= arrival { return to }
        let seconds = max(0, start.duration(to: now) / .seconds(1))
        return to > from ? min(to, from * exp2(rate * seconds)) : max(to, from * exp2(-rate * seconds))
    }
}
