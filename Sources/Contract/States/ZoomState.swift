package import ZoomModel

/// The present zoom (`factor`) and the requested one (`target`), never mixed. Its origin is the stamp's.
extension ZoomState: StateForm {
    package static var tellsOrigin: Bool { true }

    package init(_ f: inout some FormVisitor<Self>) {
        let factor = f("factor", \.factor, .factor, "The present zoom.")
        let target = f("target", \.target, .factor, "Where it goes.")
        let ramping = f("ramping", \.ramping, .any, "It moves.")
        let velocity = f.maybe(
            "velocity", \.velocity, .any.rounded,
            "During a `move`: octaves per second.")
        let min = f("min", \.min, .above(0), "The least factor.")
        let max = f("max", \.max, .above(0), "The greatest factor.")
        let position = f("position", \.position, .fraction, "(factor − min) ÷ (max − min).")
        let optical = f("optical", \.optical, .factor, "The lens's part.")
        let digital = f("digital", \.digital, .factor, "The crop's part.")
        let viewport = f("viewport", \.viewport, .any, "What is in view.")
        self.init(
            factor: factor, target: target, ramping: ramping, velocity: velocity, min: min, max: max,
            position: position, optical: optical, digital: digital, viewport: viewport,
            origin: Origin(kind: .external))
    }

    /// As precise as it is published. The origin, which is part of the stamp, is always the same.
    package var forMessages: ZoomState {
        var state = self
        (state.factor, state.target) = (factor.forMessages, target.forMessages)
        (state.velocity, state.position) = (velocity?.forMessages, position.forMessages)
        (state.optical, state.digital) = (optical.forMessages, digital.forMessages)
        (state.viewport, state.origin) = (viewport.forMessages, Origin(kind: .restore))
        return state
    }

    /// The same as a sample for `zoom/live`.
    package var liveSample: LiveSample {
        LiveSample(
            factor: factor, target: target, position: position, optical: optical, digital: digital,
            viewport: viewport)
    }
}

/// A sample of `zoom/live`, while the zoom is moving; it belongs to the state with the same `rev`.
package struct LiveSample: Sendable, Equatable {
    package var factor: Double
    var target: Double
    package var position: Double
    var optical: Double
    var digital: Double
    var viewport: Viewport
}

extension LiveSample: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        factor = f("factor", \.factor, .factor, "The present zoom.")
        target = f("target", \.target, .factor, "Where it goes.")
        position = f("position", \.position, .fraction, "(factor − min) ÷ (max − min).")
        optical = f("optical", \.optical, .factor, "The lens's part.")
        digital = f("digital", \.digital, .factor, "The crop's part.")
        viewport = f("viewport", \.viewport, .any, "What is in view.")
    }
}
