import Glibc
import ZoomModel

/// What the contract guarantees.
enum Guarantee: Sendable {
    case inRange, sample, start, anchor, command, ramp, publication, answers, lens, rest
}

/// A violated guarantee.
struct Violation: Sendable, CustomStringConvertible {
    let guarantee: Guarantee
    let what: String

    var description: String { "\(guarantee): \(what)" }
}

/// A gesture as the contract describes it. Where the timing of the lens decides which of two readings is
/// right, both are kept until a sample shows it.
struct ExpectedGesture {
    var base: Double
    var scale: Double
    /// What its last sample requests, before the range is applied.
    var requested: Double
    /// The scale that a revert restores.
    var firstScale: Double
    var sequence: Int?
    var lastSampleTime: ZoomInstant
    var anchor: Point?
    var firstAnchor: Point
    /// The point of the scene that stays at the anchor.
    var scene: Point
    /// Something else has changed the zoom or the view since its last sample.
    var isOvertaken = false
    /// The lens was stopped meanwhile. It may come to rest before or after the next sample.
    var isHalted = false
    init(_ sample: PinchSample, zoom: ZoomState, at now: ZoomInstant) {
        if sample.phase == .began {
            base = zoom.factor
            scale = sample.scale ?? 1
            requested = base * scale
            if sample.mode == .incremental { scale = min(max(requested, zoom.min), zoom.max) / base }
            firstScale = 1
        } else {
            scale = sample.mode == .cumulative ? sample.scale ?? 1 : 1
            base = zoom.factor / scale
            requested = zoom.factor
            firstScale = scale
        }
        sequence = sample.sequence
        lastSampleTime = now
        anchor = sample.anchor
        firstAnchor = sample.anchor ?? .middle
        scene = scenePoint(at: firstAnchor, in: zoom)
    }

    /// Whether a sample requests the same as the one before.
    func isRepeated(by sample: PinchSample) -> Bool {
        guard let sampled = sample.scale else { return true }
        return sampled == (sample.mode == .cumulative ? scale : 1)
    }

    func isStale(_ number: Int?) -> Bool {
        guard let sequence, let number else { return false }
        return number <= sequence
    }

    mutating func rebase(from zoom: ZoomState) {
        base = zoom.factor / scale
        requested = zoom.factor
        firstScale = scale
        firstAnchor = anchor ?? firstAnchor
        scene = scenePoint(at: firstAnchor, in: zoom)
    }

    mutating func take(_ sample: PinchSample, zoom: ZoomState, at now: ZoomInstant) {
        lastSampleTime = now
        sequence = sample.sequence ?? sequence
        if let place = sample.anchor {
            if anchor == nil {
                firstAnchor = place
                scene = scenePoint(at: place, in: zoom)
            }
            anchor = place
        }
        if let sampled = sample.scale {
            if sample.mode == .cumulative {
                scale = sampled
                requested = base * scale
            } else {
                requested = sampled * min(max(requested, zoom.min), zoom.max)
                scale = min(max(requested, zoom.min), zoom.max) / base
            }
        }
        if sample.phase == .cancelled && sample.revert {
            (scale, anchor) = (firstScale, firstAnchor)
            requested = base * scale
        }
    }
}

/// The fingers of a touch. The first two that came down count.
struct ExpectedTouch {
    private var order: [String] = []
    private var places: [String: Point] = [:]
    private let aspect: Double
    private var firstDistance = 0.01
    private var sequence: Int?

    init(aspect: Double) { self.aspect = aspect }

    /// The message as a sample of a pinch; nil if it is late.
    mutating func take(_ sample: TouchSample) -> PinchSample? {
        let isLate = sequence.map { newest in sample.sequence.map { $0 <= newest } ?? false } ?? false
        let lifted = sample.touches.filter { $0.phase == .ended || $0.phase == .cancelled }
        if isLate && lifted.isEmpty { return nil }
        let before = order.prefix(2)
        for touch in sample.touches {
            if touch.phase == .ended || touch.phase == .cancelled {
                order.removeAll { $0 == touch.finger }
            } else if !isLate {
                if !order.contains(touch.finger) { order.append(touch.finger) }
                places[touch.finger] = touch.place
            }
        }
        if !isLate { sequence = sample.sequence ?? sequence }
        let leading = order.prefix(2).compactMap { places[$0] }
        guard let first = leading.first, let last = leading.last else {
            let isCancelled = sample.touches.last?.phase == .cancelled
            return PinchSample(gesture: "", phase: isCancelled ? .cancelled : .ended)
        }
        let distance = max(0.01, hypot((last.x - first.x) * aspect, last.y - first.y))
        let startsAnew = order.prefix(2) != before
        if startsAnew { firstDistance = distance }
        return PinchSample(
            gesture: "", phase: startsAnew ? .began : .changed,
            scale: leading.count == 2 ? distance / firstDistance : 1,
            anchor: Point(
                x: (inside(first.x) + inside(last.x)) / 2, y: (inside(first.y) + inside(last.y)) / 2))
    }
}

/// The nearest place in the view.
private func inside(_ fraction: Double) -> Double { min(max(fraction, 0), 1) }

/// A ramp as its command requested it.
struct ExpectedRamp {
    let ticket: Ticket
    let from: Double
    let to: Double
    let rate: Double
    let start: ZoomInstant
    /// The lens was moved externally during the ramp.
    var isDisturbed = false

    var duration: Duration { .seconds(abs(log2(to / from)) / rate) }

    func factor(at now: ZoomInstant) -> Double {
        let octaves = rate * (start.duration(to: now) / .seconds(1))
        return to > from ? min(to, from * exp2(octaves)) : max(to, from * exp2(-octaves))
    }
}

extension PinchSample {
    var isEnd: Bool { phase != .began && phase != .changed }

    var isOnlyLiftedFingers: Bool { phase == .ended || phase == .cancelled && !revert }
}
