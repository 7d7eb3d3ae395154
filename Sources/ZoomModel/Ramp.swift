internal import Glibc

/// A zoom at a constant rate in octaves (powers of two) per second, which looks steady.
struct Ramp: Equatable {
    /// Allowed rates, in octaves per second.
    static let rates = 0.001...1000.0

    let from: Double
    let to: Double
    /// Octaves per second, in ``rates``.
    let rate: Double
    let start: ZoomInstant
    /// Whether it is a `move`, which lasts while a button is held: ``to`` is then where it ends if it is not
    /// renewed.
    var isHeld = false

    /// Octaves per second; out when negative.
    var velocity: Double { to < from ? -rate : rate }

    /// When it reaches ``to``.
    var arrival: ZoomInstant {
        start.advanced(by: .seconds(abs(log2(to / from)) / rate))
    }

    /// The factor after moving at a velocity (octaves per second, out when negative) for a time.
    static func destination(from: Double, velocity: Double, after time: Duration) -> Double {
        from * exp2(velocity * (time / .seconds(1)))
    }

    /// The factor at a time; exactly ``to`` from ``arrival`` on.
    func factor(at now: ZoomInstant) -> Double {
        if now >= arrival { return to }
        let seconds = max(0, start.duration(to: now) / .seconds(1))
        return to > from ? min(to, from * exp2(rate * seconds)) : max(to, from * exp2(-rate * seconds))
    }
}
