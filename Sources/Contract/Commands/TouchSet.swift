/// The payload of `touch/set`: the fingers that changed.
package struct TouchSet: Sendable, Equatable, CommandContent {
    package enum Phase: String, Sendable, CaseIterable {
        case began, moved, ended, cancelled
    }

    package struct Finger: Sendable, Equatable {
        /// At most 64 bytes; a number is taken as its digits.
        package var id: String
        package var place: Anchor
        package var phase: Phase
    }

    /// The maximum number of fingers in one message.
    private static let maxFingers = 10

    /// The gesture's name, at most 64 bytes.
    package var gesture: String
    /// Grows from message to message.
    package var sequence: Int?
    /// One to ten.
    package var touches: [Finger]

    init(_ fields: inout Fields) throws(CommandError) {
        let gesture = try fields.text("gesture", atMost: 64)
        sequence = try fields.integer("seq", in: 0...Int.max)
        let touches = try fields.list("touches", atMost: Self.maxFingers, Self.finger)
        try fields.refuseOthers()
        guard let gesture else { throw fields.error("gesture", "required: a name for this gesture.") }
        guard let touches, !touches.isEmpty else {
            throw fields.error("touches", "required: a list of the fingers that changed.")
        }
        self.gesture = gesture
        self.touches = touches
    }

    private static func finger(_ fields: inout Fields) throws(CommandError) -> Finger {
        let id = try fields.name("id", atMost: 64)
        let place = try Anchor.read(&fields)
        let phase = try fields.word("phase", of: Phase.self)
        guard let id else { throw fields.error("id", "required: a name or a number for this finger.") }
        guard let phase else {
            throw fields.error("phase", "required: began, moved, ended or cancelled.")
        }
        return Finger(id: id, place: place, phase: phase)
    }
}
