/// Names a message that waits for an answer; the caller gives it out and gets it back.
package typealias Ticket = Int

/// What the model wants done. The caller does it in order, after the call that returned it.
package enum ZoomAction: Sendable, Equatable {
    /// Drive the lens to this optical factor. There is one such request at a time: it is reported by
    /// ``LensReport/written(optical:moving:)`` or ``ZoomModel/lensFailed(at:)`` before there is another.
    case driveLens(Double)
    /// Stop the lens where it is, whatever it does; reported by ``LensReport/stopped(optical:)``.
    case stopLens
    /// Publish ``ZoomModel/snapshot`` as the state.
    case publishState
    /// Publish ``ZoomModel/snapshot`` as a sample between two states.
    case publishLive
    /// Publish ``ZoomModel/runningGesture`` and ``ZoomModel/runningTouch``.
    case publishGesture
    /// Answer a message.
    case answer(Ticket, ZoomAnswer)
}

/// How a message went.
package struct ZoomAnswer: Sendable, Equatable {
    package enum Status: Sendable, Equatable {
        /// The camera is there.
        case done
        /// A newer change took its place.
        case superseded
        /// The lens refused.
        case failed
    }

    package var status: Status
    /// Whether a value was out of range and was taken back into it.
    package var clamped: Bool

    package init(_ status: Status, clamped: Bool = false) {
        self.status = status
        self.clamped = clamped
    }
}

/// What became of the lens.
package enum LensReport: Sendable, Equatable {
    /// The last ``ZoomAction/driveLens(_:)`` was taken; the lens is at `optical` and perhaps on its way.
    case written(optical: Double, moving: Bool)
    /// The lens got to `optical` on its way, or by somebody else's hand.
    case moved(optical: Double, moving: Bool)
    /// The lens stands still, and no request is under way any more.
    case stopped(optical: Double)
}

/// The zoom as it is.
package struct ZoomSnapshot: Sendable, Equatable {
    /// What the picture is enlarged by: ``optical`` × ``digital``.
    package var factor: Double
    /// What was asked for.
    package var target: Double
    /// Whether the camera is still on its way.
    package var ramping: Bool
    /// Octaves per second of a move, which lasts while a button is held; out when negative. Nil: there is none.
    package var velocity: Double?
    /// The least and the greatest factor that may be asked for.
    package var min: Double
    package var max: Double
    /// ``factor`` in the range, 0…1.
    package var position: Double
    package var optical: Double
    package var digital: Double
    package var viewport: Viewport
    package var origin: Origin
}

/// A pinch or a touch under way, as others may see it.
package struct RunningGesture: Sendable, Equatable {
    package var gesture: String
    package var client: String?
    /// The factor at scale 1.
    package var base: Double
    package var scale: Double
    /// The fingers that count, in a touch.
    package var fingers: Int?
}
