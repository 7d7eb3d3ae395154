/// What `desired/set` takes: how a fleet manager wants the camera, applied once for each version. The one command that may be retained.
package struct DesiredSet: Sendable, Equatable, CommandContent {
    /// Applied when it is above the last one applied.
    package var version: Int
    package var zoom: ZoomGoal?
    package var controls: ControlsSet?

    init(_ fields: inout Fields) throws(CommandError) {
        let version = try fields.integer("version", in: 1...Int.max)
        zoom = try fields.object("zoom") { (inner) throws(CommandError) -> ZoomGoal in
            if let goal = try ZoomGoal.read(&inner) { return goal }
            try inner.refuseOthers()
            throw CommandError(.badPayload, "zoom: it needs one of factor, position and by.", field: "zoom")
        }
        controls = try fields.object("controls", ControlsSet.init)
        if fields.remaining.contains("session") {
            throw CommandError(.unsupported, "session: this version doesn't serve it yet.", field: "session")
        }
        try fields.refuseOthers()
        guard let version else { throw fields.error("version", "it is needed: a whole number from 1.") }
        if case .by? = zoom?.target {
            throw CommandError(
                .badPayload,
                "zoom.by: what is desired is a factor or a position, not a step from wherever the zoom is.",
                field: "zoom.by")
        }
        self.version = version
    }
}
