package import ZoomModel

/// The state of `zoom`: the present zoom (`factor`) and the requested one (`target`), never mixed.
package struct ZoomState: Sendable, Equatable, Codable {
    package var factor: Double
    package var target: Double
    package var ramping: Bool
    /// Octaves per second of a `move` that is under way: `target` is where it would end by itself.
    package var velocity: Double?
    package var min: Double
    package var max: Double
    package var position: Double
    package var optical: Double
    package var digital: Double
    package var viewport: Viewport
    /// Grows with each change of the camera, over restarts too.
    package var rev: Int
    package var boot: Int
    package var origin: Origin
    package var ts: String

    package init(
        factor: Double, target: Double, ramping: Bool, velocity: Double? = nil, min: Double, max: Double,
        position: Double, optical: Double, digital: Double, viewport: Viewport, rev: Int, boot: Int,
        origin: Origin, ts: String
    ) {
        (self.factor, self.target) = (factor.forMessages, target.forMessages)
        (self.ramping, self.velocity, self.min, self.max) = (ramping, velocity?.forMessages, min, max)
        (self.position, self.optical, self.digital) = (
            position.forMessages, optical.forMessages, digital.forMessages
        )
        (self.viewport, self.rev, self.boot, self.origin, self.ts) = (viewport, rev, boot, origin, ts)
    }

    /// The same as a sample for `zoom/live`.
    package var sample: LiveSample {
        LiveSample(
            factor: factor, target: target, position: position, optical: optical, digital: digital,
            viewport: viewport, rev: rev, boot: boot, ts: ts)
    }
}

/// A sample of `zoom/live`, while the zoom is moving; it belongs to the state with the same `rev`.
package struct LiveSample: Sendable, Equatable, Codable {
    package var factor: Double
    package var target: Double
    package var position: Double
    package var optical: Double
    package var digital: Double
    package var viewport: Viewport
    package var rev: Int
    package var boot: Int
    package var ts: String
}
