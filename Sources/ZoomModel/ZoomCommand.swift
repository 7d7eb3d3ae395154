/// What a controller may ask of the zoom. Values are finite and, where they are factors or rates, above zero.
package enum ZoomCommand: Sendable, Equatable {
    /// Go to a target: at a rate in octaves per second, or at once; keeping a point of the view where it is.
    case go(to: Target, rate: Double?, anchor: Point?)
    /// Show what was shown before: a factor, with this point of the scene in the middle of the view (see ``ZoomModel/center``); at a rate
    /// in octaves per second, or at once.
    case show(factor: Double, center: Point, rate: Double?)
    /// Go on at a velocity in octaves per second, out when it is negative, for so long.
    case move(velocity: Double, timeout: Duration)
    /// Halt where the lens really is.
    case stop
    /// Look elsewhere in the frame, at the zoom as it is; a ramp goes on.
    case look(Look)

    package enum Target: Sendable, Equatable {
        /// A factor.
        case factor(Double)
        /// A position in the range, 0…1.
        case position(Double)
        /// The present target, multiplied.
        case by(Double)
    }

    package enum Look: Sendable, Equatable {
        /// This point of the view comes to its middle.
        case at(Point)
        /// The view moves by so many of its widths and heights.
        case by(x: Double, y: Double)
    }
}

/// One message of a pinch.
package struct PinchSample: Sendable, Equatable {
    package enum Phase: Sendable, Equatable {
        case began
        case changed
        case ended
        /// The gesture is called off; with `revert`, its part in the zoom is taken back.
        case cancelled(revert: Bool)

        /// Whether the fingers are gone.
        var isLast: Bool {
            switch self {
            case .began, .changed: false
            case .ended, .cancelled: true
            }
        }

        /// Whether the fingers are gone and what they did is to stay.
        var onlyLetsGo: Bool { self == .ended || self == .cancelled(revert: false) }
    }

    package enum Mode: Sendable, Equatable {
        /// The scale is relative to the gesture's start.
        case cumulative
        /// The scale is relative to the message before.
        case incremental
    }

    /// The gesture's name; two clients may use the same one.
    package var gesture: String
    package var phase: Phase
    /// How far the fingers are apart, as a multiple; 1 at the start.
    package var scale: Double?
    /// Grows from sample to sample.
    package var sequence: Int?
    package var mode: Mode
    /// Where between the fingers is, in fractions of the view.
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

/// Who changed the zoom, and how.
package struct Origin: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case command, gesture, restore, desired, external
    }

    /// What the sender calls itself.
    package var client: String?
    /// The sender's name for its message.
    package var id: String?
    package var kind: Kind

    package init(client: String? = nil, id: String? = nil, kind: Kind) {
        self.client = client
        self.id = id
        self.kind = kind
    }
}
