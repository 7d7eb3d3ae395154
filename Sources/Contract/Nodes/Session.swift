package import ZoomModel

/// The payload of `session/set`: quality and rate, with controls and zoom. All are applied, or none.
package struct SessionSet: Sendable, Equatable, CommandForm {
    static let mayHaveTime = true
    static var bare: [FieldKind] { [.text(name)] }

    /// Names of qualities, of which the first that the camera can do is taken; empty: it stays as it is.
    package var qualities: [String] = []
    /// Frames per second, above 0; nil: the rate that was requested last, or else the configured one.
    package var rate: Double?
    package var controls: ControlsSet?
    package var zoom: ZoomGoal?

    private static let name = TextRule.upTo(64)

    init() {}

    init?(bare part: JSON) throws(CommandError) {
        guard case .text = part else { return nil }
        do throws(FormError) { qualities = [try String.read(part, Self.name, .strict)] } catch {
            throw error.inside("quality").asCommandError
        }
    }

    init?(shortForm word: String) {
        // Of the name of a quality, such as `hd1280x720`. Anything else is a mistake in JSON.
        guard word.utf8.allSatisfy(\.isLetterOrDigit), !word.isEmpty else { return nil }
        qualities = [word]
    }

    package init(_ f: inout some FormVisitor<Self>) {
        (qualities, rate) = Self.format(&f, \.qualities, \.rate)
        controls = f.maybe(
            "controls", \.controls, .any, "Values of controls by the names in the camera's `info`.")
        zoom = f.maybe("zoom", \.zoom, .any, "A target of the zoom, as in `zoom/set`.")
        f.demand(
            someOf: ["quality", "fps", "controls", "zoom"], field: nil,
            "Send at least one of quality, fps, controls and zoom.")
    }

    /// Quality and rate, which a desired session has too.
    static func format<Subject>(
        _ f: inout some FormVisitor<Subject>, _ qualities: (Subject) -> [String],
        _ rate: (Subject) -> Double?
    ) -> (qualities: [String], rate: Double?) {
        let names = f.maybe(
            "quality", { qualities($0).isEmpty ? nil : qualities($0) },
            .oneOrList(of: 1...16, each: name),
            """
            `low` (352 × 288 or less, if the camera has a format of that size), `medium` (640 × 480 or less, \
            likewise), `high` (the largest that the configuration allows), `hd1280x720`, `hd1920x1080`, \
            `hd4K3840x2160`, or a size of the camera's own; or a list of names, of which the first that the \
            camera supports is selected.
            """)
        let rate = f.maybe(
            "fps", rate, .above(0),
            "Frames per second; the nearest rate that the camera supports is selected.")
        return (names ?? [], rate)
    }
}
