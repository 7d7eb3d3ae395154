internal import Glibc

/// One finger in a message of a touch.
package struct Touch: Sendable, Equatable {
    package enum Phase: String, Sendable, CaseIterable {
        case began, moved, ended, cancelled
    }

    /// At most 64 bytes.
    package var finger: String
    /// In fractions of the view's width and height. A place outside the view counts in full for the distance
    /// between the fingers, and as the nearest place on the view's edge for the midpoint.
    package var place: Point
    package var phase: Phase

    package init(finger: String, place: Point, phase: Phase) {
        (self.finger, self.place, self.phase) = (finger, place, phase)
    }
}

/// One message of a touch: the fingers that changed since the message before.
package struct TouchSample: Sendable, Equatable {
    /// Name of the gesture. Two clients may use the same one.
    package var gesture: String
    /// Grows from message to message.
    package var sequence: Int?
    package var touches: [Touch]

    package init(gesture: String, sequence: Int? = nil, touches: [Touch]) {
        (self.gesture, self.sequence, self.touches) = (gesture, sequence, touches)
    }
}

/// Tracks the fingers of one touch and translates them into a pinch: one finger drags, two pinch around their
/// midpoint, a third is ignored.
struct TouchTracker: Equatable {
    /// Maximum number of tracked fingers. More are ignored.
    private static let maxFingers = 10
    /// Limits of the distance between two fingers, in heights of the view. Two fingers on one spot have no
    /// distance to compare with; the upper limit keeps the scale finite for any finite coordinates.
    private static let distances = 0.01...1e6

    private struct Finger: Equatable {
        let name: String
        var place: Point
    }

    /// Width of the view divided by its height.
    private var aspect: Double
    /// In the order in which they came down.
    private var fingers: [Finger] = []
    /// Distance of the first two fingers when they became the first two.
    private var firstDistance = distances.lowerBound
    private var sequence: Int?

    init(aspect: Double) { self.aspect = aspect }

    /// The fingers that count: the first two that came down.
    private var leading: ArraySlice<Finger> { fingers.prefix(2) }

    /// Number of fingers that count, 0 to 2.
    var count: Int { leading.count }

    /// Whether a message is not newer than one that was applied.
    func isStale(_ sample: TouchSample) -> Bool {
        guard let newest = sequence, let number = sample.sequence else { return false }
        return number <= newest
    }

    /// Applies a message. Returns it as a sample of a pinch; a drag has the scale 1. If other fingers count
    /// than before, the sample is a `began`.
    ///
    /// - Parameter isStale: if true, only lifted fingers are applied. A late message may report them, too.
    mutating func take(_ sample: TouchSample, isStale: Bool) -> PinchSample {
        let before = leading.map(\.name)
        for touch in sample.touches {
            switch touch.phase {
            case .began, .moved: if !isStale { put(touch) }
            case .ended, .cancelled: fingers.removeAll { $0.name == touch.finger }
            }
        }
        if !isStale { sequence = sample.sequence ?? sequence }
        var meaning = PinchSample(gesture: sample.gesture, phase: .changed)
        if leading.isEmpty {
            meaning.phase = sample.touches.last?.phase == .cancelled ? .cancelled : .ended
            return meaning
        }
        if leading.map(\.name) != before {
            meaning.phase = .began
            firstDistance = distance
        }
        meaning.scale = count == 2 ? distance / firstDistance : 1
        meaning.anchor = middle
        return meaning
    }

    /// Changes the proportions in which distances are computed. The present scale stays as it is.
    mutating func setAspect(_ aspect: Double) {
        let scale = distance / firstDistance
        self.aspect = aspect
        firstDistance = distance / scale
    }

    private mutating func put(_ touch: Touch) {
        if let place = fingers.firstIndex(where: { $0.name == touch.finger }) {
            fingers[place].place = touch.place
        } else if fingers.count < Self.maxFingers {
            // The `began` of a finger that moves may have been lost.
            fingers.append(Finger(name: touch.finger, place: touch.place))
        }
    }

    private var middle: Point {
        let x = leading.reduce(0) { $0 + $1.place.confined.x }
        let y = leading.reduce(0) { $0 + $1.place.confined.y }
        return Point(x: x / Double(count), y: y / Double(count))
    }

    private var distance: Double {
        guard let first = leading.first?.place, let second = leading.dropFirst().first?.place else {
            return Self.distances.lowerBound
        }
        let apart = hypot((second.x - first.x) * aspect, second.y - first.y)
        return min(max(apart, Self.distances.lowerBound), Self.distances.upperBound)
    }
}
