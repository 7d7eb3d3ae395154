import Glibc
import TestSupport
import Testing
import ZoomModel

/// A simulated lens with the properties of real ones, driven by a ``ZoomHarness``.
struct FakeLens {
    /// Time from a request to its report.
    var latency = Duration.zero
    /// Time from a stop to its report.
    var stopLatency = Duration.zero
    /// Octaves per second. 0: it moves immediately.
    var speed = 0.0
    /// It rounds down to multiples of this. 0: no rounding.
    var step = 0.0
    /// All requests fail.
    var isBroken = false

    enum Report {
        case lens(LensEvent)
        case failed
    }

    /// The requested factors, in order.
    private(set) var requests: [Double] = []
    private(set) var stops = 0

    private var from = 1.0
    private var to = 1.0
    private var start = ZoomInstant.start
    private var pending: (factor: Double, due: ZoomInstant)?
    private var stopDue: ZoomInstant?
    private var tick: ZoomInstant?

    init(
        latency: Duration = .zero, stopLatency: Duration = .zero, speed: Double = 0, step: Double = 0,
        isBroken: Bool = false, at factor: Double = 1
    ) {
        (self.latency, self.stopLatency, self.speed, self.step) = (latency, stopLatency, speed, step)
        self.isBroken = isBroken
        (from, to) = (factor, factor)
    }

    private var arrival: ZoomInstant {
        speed > 0 ? start.advanced(by: .seconds(abs(log2(to / from)) / speed)) : start
    }

    /// The real factor.
    func factor(at now: ZoomInstant) -> Double {
        if now >= arrival { return to }
        let octaves = speed * (start.duration(to: now) / .seconds(1))
        return to > from ? from * exp2(octaves) : from * exp2(-octaves)
    }

    /// The time of the next report.
    var next: ZoomInstant? {
        if let stopDue { return stopDue }
        return [pending?.due, tick].compactMap { $0 }.min()
    }

    mutating func drive(to factor: Double, at now: ZoomInstant) {
        #expect(pending == nil, "a request before the last one was reported")
        requests.append(factor)
        pending = (factor, now.advanced(by: latency))
    }

    mutating func stop(at now: ZoomInstant) {
        stops += 1
        move(to: factor(at: now), at: now)
        pending = nil
        tick = nil
        stopDue = now.advanced(by: stopLatency)
    }

    /// The report that is due at ``next``.
    mutating func report(at now: ZoomInstant) -> Report {
        if stopDue != nil {
            stopDue = nil
            return .lens(.stopped(optical: factor(at: now)))
        }
        if let request = pending, request.due <= now {
            pending = nil
            if isBroken { return .failed }
            let wanted =
                step > 0 ? max(1, (request.factor / step + 1e-9).rounded(.down) * step) : request.factor
            (from, to, start) = (factor(at: now), wanted, now)
            return .lens(.written(optical: factor(at: now), moving: isMoving(at: now)))
        }
        return .lens(.moved(optical: factor(at: now), moving: isMoving(at: now)))
    }

    /// Moves the lens externally, without a report.
    mutating func move(to factor: Double, at now: ZoomInstant) {
        (from, to, start) = (factor, factor, now)
    }

    /// Whether it still moves. If so, the next report is due a 60th of a second later.
    private mutating func isMoving(at now: ZoomInstant) -> Bool {
        let moving = now < arrival
        tick = moving ? min(arrival, now.advanced(by: .seconds(1.0 / 60))) : nil
        return moving
    }
}
