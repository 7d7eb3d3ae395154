/// A command for the zoom. All values are finite; factors and rates are greater than 0.
package enum ZoomCommand: Sendable, Equatable {
    /// Zoom to a target at a rate in octaves per second, or without a ramp. The anchor is the point of the
    /// view that stays in place.
    case go(to: Target, rate: Double?, anchor: Point?)
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

    package enum Target: Sendable, Equatable {
        /// A factor.
        case factor(Double)
        /// A position in the range, 0…1.
        case position(Double)
        /// The present target, multiplied.
        case by(Double)
    }

    package enum ViewMove: Sendable, Equatable {
        /// This point of the view becomes its center.
        case at(Point)
        /// The view moves by these multiples of its width and height.
        case by(x: Double, y: Double)
    }
}

/// One message of a pinch.
package struct PinchSample: Sendable, Equatable {
    package enum Phase: Sendable, Equatable {
        case began
        case changed
        case ended
        /// The gesture is cancelled; with `revert`, its effect is taken back.
        case cancelled(revert: Bool)

        /// Whether the gesture is over.
        var isLast: Bool {
            switch self {
            case .began, .changed: false
            case .ended, .cancelled: true
            }
        }

        /// Whether the gesture is over and its effect stays.
        var endsWithoutRevert: Bool { self == .ended || self == .cancelled(revert: false) }
    }

    package enum Mode: Sendable, Equatable {
        /// The scale is relative to the start of the gesture.
        case cumulative
        /// The scale is relative to the message before.
        case incremental
    }

    /// Name of the gesture. Two clients may use the same one.
    package var gesture: String
    package var phase: Phase
    /// Distance of the fingers as a multiple; see ``Mode``.
    package var scale: Double?
    /// Grows from sample to sample.
    package var sequence: Int?
    package var mode: Mode
    /// The point between the fingers, in fractions of the view.
    package var anchor: Point?

    package init(
        gesture: String, phase: Phase, scale: Double? = nil, sequence: Int? = nil, mode: Mode = .cumulative,
        anchor: Point? = nil
    ) {
        self.gesture = gesture
        self.phase = phase
        self.scale = scale
        self.sequence = sequence
        self.mode = mode
        self.anchor = anchor
    }
}

/// The source of a change of the zoom.
package struct Origin: Sendable, Equatable {
    package enum Kind: String, Sendable {
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
