package import ZoomModel

/// The payload of `touch/set`.
extension TouchSample: CommandContent {
    /// The maximum number of fingers in one message.
    private static let maxFingers = 10

    init(_ fields: inout Fields) throws(CommandError) {
        let gesture = try fields.text("gesture", atMost: 64)
        let sequence = try fields.integer("seq", in: 0...Int.max)
        let touches = try fields.list("touches", atMost: Self.maxFingers, Self.finger)
        try fields.refuseOthers()
        guard let gesture else { throw fields.error("gesture", "required: a name for this gesture.") }
        guard let touches, !touches.isEmpty else {
            throw fields.error("touches", "required: a list of the fingers that changed.")
        }
        self.init(gesture: gesture, sequence: sequence, touches: touches)
    }

    private static func finger(_ fields: inout Fields) throws(CommandError) -> Touch {
        // A number is taken as its digits.
        let id = try fields.name("id", atMost: 64)
        let place = try Point.read(&fields)
        let phase = try fields.word("phase", of: Touch.Phase.self)
        guard let id else { throw fields.error("id", "required: a name or a number for this finger.") }
        guard let phase else {
            throw fields.error("phase", "required: began, moved, ended or cancelled.")
        }
        return Touch(finger: id, place: place, phase: phase)
    }
}
