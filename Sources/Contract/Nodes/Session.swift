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
            "controls", \.controls, .any, "Values by the names in `info`.")
        zoom = f.maybe("zoom", \.zoom, .any, "Where the zoom goes.")
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
            "One of `qualities` in `info`; of a list the first that the camera can do.")
        let rate = f.maybe(
            "fps", rate, .above(0),
            "Frames per second; clamped to the nearest that the camera can do.")
        return (names ?? [], rate)
    }
}
