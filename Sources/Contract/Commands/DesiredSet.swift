package import ZoomModel

/// The payload of `desired/set`: the state that a fleet manager requests, applied once for each version. The
/// only command that may be retained.
package struct DesiredSet: Sendable, Equatable, CommandContent {
    /// Applied when it is above the last one applied.
    package var version: Int
    /// The group whose count the version belongs to, although it may come on a camera's own topic; nil: the
    /// topic decides.
    package var group: String?
    /// The version begins a new count: it may be any other than the last one.
    package var resets: Bool
    package var zoom: ZoomGoal?
    package var controls: ControlsSet?
    package var session: Session?
    /// What is wanted (`zoom`, `controls` and `session` as they came), as JSON that is the same for equal
    /// values.
    package var contents: [UInt8]

    /// How far a version may be above the last one of a camera: the highest number there is would end the
    /// count.
    package static let maxStep = 1_000

    /// The requested session.
    package struct Session: Sendable, Equatable {
        /// Names of qualities, of which the first that the camera can do is taken; empty: it stays as it is.
        package var qualities: [String]
        /// Frames per second, above 0.
        package var rate: Double?

        init(_ fields: inout Fields) throws(CommandError) {
            qualities = try SessionSet.readQualities(&fields)
            rate = try fields.positive("fps")
            try fields.refuseOthers()
            if qualities.isEmpty && rate == nil {
                throw fields.error("quality", "send at least one of quality and fps.")
            }
        }
    }

    init(_ fields: inout Fields) throws(CommandError) {
        contents = fields.canonicalBytes(of: ["zoom", "controls", "session"])
        let version = try fields.integer("version", in: 1...Int.max)
        group = try fields.text("group", atMost: 64)
        if let group, !Topics.isName(group) {
            throw fields.error("group", "1 to 64 of a-z, 0-9, _ and -.")
        }
        resets = try fields.bool("reset") ?? false
        zoom = try fields.object("zoom", ZoomGoal.readWhole)
        controls = try fields.object("controls", ControlsSet.init)
        session = try fields.object("session", Session.init)
        try fields.refuseOthers()
        guard let version else { throw fields.error("version", "required: a whole number from 1.") }
        if case .by? = zoom?.target {
            throw CommandError(
                .badPayload,
                "zoom.by: a desired state takes a factor or a position, not a relative step.",
                field: "zoom.by")
        }
        self.version = version
    }
}
