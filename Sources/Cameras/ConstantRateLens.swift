internal import Glibc

/// Where a lens is that moves at a constant rate: as many octaves in each second.
struct ConstantRateLens {
    /// Octaves per second; 0: it arrives immediately.
    let speed: Double
    private var from: Double
    private var to: Double
    private var start: ContinuousClock.Instant

    init(speed: Double, at factor: Double, now: ContinuousClock.Instant) {
        // With a slower lens the time to arrive could exceed what a Duration holds.
        self.speed = speed > 0 ? max(speed, 0.001) : 0
        (from, to, start) = (factor, factor, now)
    }

    /// The time when it arrives.
    var arrival: ContinuousClock.Instant {
        speed > 0 ? start.advanced(by: .seconds(abs(log2(to / from)) / speed)) : start
    }

    /// The factor at a time.
    func factor(at now: ContinuousClock.Instant) -> Double {
        if now >= arrival { return to }
        // A frame may have been exposed before the movement began.
        let octaves = speed * max(0, start.duration(to: now) / .seconds(1))
        return to > from ? min(to, from * exp2(octaves)) : max(to, from * exp2(-octaves))
    }

    mutating func drive(to factor: Double, at now: ContinuousClock.Instant) {
        (from, to, start) = (self.factor(at: now), factor, now)
    }

    mutating func stop(at now: ContinuousClock.Instant) {
        let here = factor(at: now)
        (from, to, start) = (here, here, now)
    }
}
