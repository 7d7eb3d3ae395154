/// Identifies a message that waits for an answer. Chosen by the caller and returned with the answer.
package typealias Ticket = Int

/// An action that the caller has to carry out, in order, after the call that returned it.
package enum ZoomAction: Sendable, Equatable {
    /// Drive the lens to this optical factor. Only one such request is under way at a time: the caller
    /// reports it by ``LensEvent/written(optical:moving:)`` or ``ZoomModel/lensFailed(at:)`` before there is
    /// another.
    case driveLens(Double)
    /// Stop the lens where it is; reported by ``LensEvent/stopped(optical:)``.
    case stopLens
    /// Publish ``ZoomModel/snapshot`` as the state.
    case publishState
    /// Publish ``ZoomModel/snapshot`` as a live sample.
    case publishLive
    /// Publish ``ZoomModel/runningGesture`` and ``ZoomModel/runningTouch``.
    case publishGesture
    /// Answer a message.
    case answer(Ticket, ZoomAnswer)
}

/// The outcome of a message.
package struct ZoomAnswer: Sendable, Equatable {
    package enum Status: Sendable, Equatable {
        /// The zoom has reached the target.
        case done
        /// A newer change replaced it.
        case superseded
        /// The lens failed.
        case failed
    }

    package var status: Status
    /// Whether a value was out of range and was clamped.
    package var clamped: Bool

    package init(_ status: Status, clamped: Bool = false) {
        self.status = status
        self.clamped = clamped
    }
}

/// An event of the lens.
package enum LensEvent: Sendable, Equatable {
    /// The last ``ZoomAction/driveLens(_:)`` was accepted; the lens is at `optical` and may still move.
    case written(optical: Double, moving: Bool)
    /// The lens moved to `optical`, on its way to a request or externally.
    case moved(optical: Double, moving: Bool)
    /// The lens stands still and no request is under way any more.
    case stopped(optical: Double)
}

/// The present state of the zoom.
package struct ZoomState: Sendable, Equatable {
    /// The magnification: ``optical`` × ``digital``.
    package var factor: Double
    /// The requested factor.
    package var target: Double
    /// Whether the zoom still moves.
    package var ramping: Bool
    /// Octaves per second of a running `move`, out when negative. Nil: no `move` is running.
    package var velocity: Double?
    /// The least and the greatest factor that can be requested.
    package var min: Double
    package var max: Double
    /// Position of ``factor`` in the range, 0…1.
    package var position: Double
    package var optical: Double
    package var digital: Double
    package var viewport: Viewport
    package var origin: Origin

    package init(
        factor: Double, target: Double, ramping: Bool, velocity: Double? = nil, min: Double, max: Double,
        position: Double, optical: Double, digital: Double, viewport: Viewport, origin: Origin
    ) {
        (self.factor, self.target, self.ramping, self.velocity) = (factor, target, ramping, velocity)
        (self.min, self.max, self.position) = (min, max, position)
        (self.optical, self.digital, self.viewport, self.origin) = (optical, digital, viewport, origin)
    }
}

/// A running pinch or touch, as it is published.
package struct RunningGesture: Sendable, Equatable {
    package var gesture: String
    package var client: ClientIdentity?
    /// The factor at scale 1.
    package var base: Double
    package var scale: Double
    /// Number of fingers that count; nil for a pinch.
    package var fingers: Int?
}
