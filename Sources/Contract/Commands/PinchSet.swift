package import ZoomModel

/// The payload of `pinch/set`.
extension PinchSample: CommandContent {
    init(_ fields: inout Fields) throws(CommandError) {
        let gesture = try fields.text("gesture", atMost: 64)
        let phase = try fields.word("phase", of: Phase.self)
        let scale = try fields.positive("scale")
        let sequence = try fields.integer("seq", in: 0...Int.max)
        let mode = try fields.word("mode", of: Mode.self) ?? .cumulative
        let anchor = try Point.read("anchor", of: &fields)
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
        self.init(
            gesture: gesture, phase: phase, scale: scale, sequence: sequence, mode: mode, anchor: anchor,
            revert: revert ?? false)
    }
}
