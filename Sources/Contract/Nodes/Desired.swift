package import ZoomModel

/// The payload of `desired/set`: the state that a fleet manager requests, applied once for each version. The
/// only command that may be retained.
package struct DesiredSet: Sendable, Equatable, CommandForm {
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
    package struct Session: Sendable, Equatable, Form {
        /// Names of qualities, of which the first that the camera can do is taken; empty: it stays as it is.
        package var qualities: [String]
        /// Frames per second, above 0.
        package var rate: Double?

        package init(_ f: inout some FormVisitor<Self>) {
            (qualities, rate) = SessionSet.format(&f, \.qualities, \.rate)
            f.demand(
                someOf: ["quality", "fps"], field: "quality", "send at least one of quality and fps.")
        }
    }

    package init(_ f: inout some FormVisitor<Self>) {
        contents = JSON.canonicalBytes(
            .object([
                "zoom": f.unread("zoom"), "controls": f.unread("controls"), "session": f.unread("session"),
            ]))
        version = f(
            "version", \.version, .from(1),
            "At most 1,000 above the last of its count.",
            missing: "required: a whole number from 1.")
        group = f.maybe(
            "group", \.group, .upTo(64, .name),
            "The version counts as one of this group.")
        resets = f(
            "reset", \.resets, .any, default: false,
            "Begins a new count: any other version than the last.")
        let zoom = f.maybe(
            "zoom", \.zoom, .any,
            "Without `by`.")
        self.zoom = zoom
        controls = f.maybe(
            "controls", \.controls, .any, "Values by the names in `info`.")
        session = f.maybe("session", \.session, .any, "As in `session/set`.")
        let isStep = if case .by? = zoom?.target { true } else { false }
        f.check(!isStep, "zoom.by", "a desired state takes a factor or a position, not a relative step.")
    }
}
