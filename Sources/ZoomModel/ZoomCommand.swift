/// A command for the zoom. All values are finite; factors and rates are greater than 0.
package enum ZoomCommand: Sendable, Equatable {
    case go(ZoomGoal)
    /// Show a saved view: a factor, with a point of the scene in the center of the view (see
    /// ``ZoomModel/center``), at a rate in octaves per second, or without
    /// a ramp.
    case show(factor: Double, center: Point, rate: Double?)
    /// Zoom at a velocity in octaves per second, out when negative, until the timeout.
    case move(velocity: Double, timeout: Duration)
    /// Stop where the lens really is.
    case stop
    /// Move the view within the frame at the present zoom. A ramp continues.
    case moveView(ViewMove)

    package enum ViewMove: Sendable, Equatable {
        /// This point of the view becomes its center.
        case at(Point)
        /// The view moves by these multiples of its width and height.
        case by(x: Double, y: Double)
    }
}

/// A target of the zoom, and the way there.
package struct ZoomGoal: Sendable, Equatable {
    package enum Target: Sendable, Equatable {
        /// Above 0.
        case factor(Double)
        /// A position in the range, 0…1, linear between the least and the greatest factor.
        case position(Double)
        /// The present target, multiplied; above 0.
        case by(Double)
    }

    package var target: Target
    /// Octaves per second, above 0; nil: without a ramp.
    package var rate: Double?
    /// The point of the view that stays in place.
    package var anchor: Point?

    package init(_ target: Target, rate: Double? = nil, anchor: Point? = nil) {
        (self.target, self.rate, self.anchor) = (target, rate, anchor)
    }
}

/// One message of a pinch.
package struct PinchSample: Sendable, Equatable {
    package enum Phase: String, Sendable, CaseIterable {
        case began, changed, ended, cancelled

        /// Whether the gesture is over.
        var isLast: Bool { self == .ended || self == .cancelled }
    }

    package enum Mode: String, Sendable, CaseIterable {
        /// The scale is relative to the start of the gesture.
        case cumulative
        /// The scale is relative to the message before.
        case incremental
    }

    /// Name of the gesture, at most 64 bytes. Two clients may use the same one.
    package var gesture: String
    package var phase: Phase
    /// Distance of the fingers as a multiple, above 0; see ``Mode``.
    package var scale: Double?
    /// Grows from sample to sample.
    package var sequence: Int?
    package var mode: Mode
    /// The point between the fingers, in fractions of the view.
    package var anchor: Point?
    /// With `cancelled`: the effect of the gesture is taken back.
    package var revert: Bool

    /// Whether the gesture is over and its effect stays.
    var endsWithoutRevert: Bool { phase.isLast && !revert }

    package init(
        gesture: String, phase: Phase, scale: Double? = nil, sequence: Int? = nil, mode: Mode = .cumulative,
        anchor: Point? = nil, revert: Bool = false
    ) {
        (self.gesture, self.phase, self.scale, self.sequence) = (gesture, phase, scale, sequence)
        (self.mode, self.anchor, self.revert) = (mode, anchor, revert)
    }
}

/// The source of a change of the zoom.
package struct Origin: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case command, gesture, restore, desired, external
    }

    package var client: ClientIdentity?
    /// The sender's id of its message.
    package var id: String?
    package var kind: Kind

    package init(client: ClientIdentity? = nil, id: String? = nil, kind: Kind) {
        self.client = client
        self.id = id
        self.kind = kind
    }
}
