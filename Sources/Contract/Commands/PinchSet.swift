/// The payload of `pinch/set`: one sample of a pinch.
package struct PinchSet: Sendable, Equatable, CommandContent {
    package enum Phase: String, Sendable, CaseIterable {
        case began, changed, ended, cancelled
    }

    package enum Mode: String, Sendable, CaseIterable {
        /// The scale is relative to the gesture's start.
        case cumulative
        /// The scale is relative to the message before.
        case incremental
    }

    /// The gesture's name, at most 64 bytes.
    package var gesture: String
    package var phase: Phase
    /// The distance of the fingers as a multiple, above 0.
    package var scale: Double?
    /// Grows from message to message.
    package var sequence: Int?
    package var mode: Mode
    /// The point between the fingers.
    package var anchor: Anchor?
    /// With `cancelled`: restore the zoom and the view from before the gesture.
    package var revert: Bool

    init(_ fields: inout Fields) throws(CommandError) {
        let gesture = try fields.text("gesture", atMost: 64)
        let phase = try fields.word("phase", of: Phase.self)
        scale = try fields.positive("scale")
        sequence = try fields.integer("seq", in: 0...Int.max)
        mode = try fields.word("mode", of: Mode.self) ?? .cumulative
        anchor = try Anchor.read("anchor", of: &fields)
        let revert = try fields.bool("revert")
        try fields.refuseOthers()
        guard let gesture else { throw fields.error("gesture", "required: a name for this gesture.") }
        guard let phase else {
            throw fields.error("phase", "required: began, changed, ended or cancelled.")
        }
        if phase == .changed && scale == nil {
            throw fields.error("scale", "a pinch that changed needs it: a number above 0.")
        }
        if revert != nil && phase != .cancelled {
            throw fields.error("revert", "allowed only with the phase \"cancelled\".")
        }
        self.gesture = gesture
        self.phase = phase
        self.revert = revert ?? false
    }
}
