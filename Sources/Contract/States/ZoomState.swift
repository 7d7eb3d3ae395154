package import ZoomModel

/// The state of `zoom`: the present zoom (`factor`) and the requested one (`target`), never mixed. Its origin
/// is written with its stamp.
extension ZoomState: FrequentMessage {
    package func writeFields(to json: inout JSONWriter) {
        json.field("factor", factor.forMessages)
        json.field("target", target.forMessages)
        json.field("ramping", ramping)
        json.field("velocity", velocity?.forMessages)
        json.field("min", min)
        json.field("max", max)
        json.field("position", position.forMessages)
        json.field("optical", optical.forMessages)
        json.field("digital", digital.forMessages)
        json.field("viewport", viewport)
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
    package var sample: LiveSample {
        LiveSample(
            factor: factor, target: target, position: position, optical: optical, digital: digital,
            viewport: viewport)
    }
}

/// A sample of `zoom/live`, while the zoom is moving; it belongs to the state with the same `rev`.
package struct LiveSample: Sendable, Equatable, Decodable, FrequentMessage {
    package var factor: Double
    var target: Double
    package var position: Double
    var optical: Double
    var digital: Double
    var viewport: Viewport

    package func writeFields(to json: inout JSONWriter) {
        json.field("factor", factor.forMessages)
        json.field("target", target.forMessages)
        json.field("position", position.forMessages)
        json.field("optical", optical.forMessages)
        json.field("digital", digital.forMessages)
        json.field("viewport", viewport)
    }
}

/// The state of `pinch` or `touch` while there is a gesture; otherwise it is `null`.
extension RunningGesture: FrequentMessage {
    package func writeFields(to json: inout JSONWriter) {
        json.field("gesture", gesture)
        json.field("client", client?.name)
        json.field("proved", client?.isProved)
        if let fingers { return json.field("fingers", fingers) }
        json.field("base", base.forMessages)
        json.field("scale", scale.forMessages)
    }
}
