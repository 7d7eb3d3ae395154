package import ZoomModel

extension Node {
    package static var session: Node { Node(Session.self) }

    /// The mode of the frames.
    package enum Session: NodeContract {
        package typealias Command = SessionSet
        package typealias State = SessionState
        package static var name: String { "session" }
        package static var isCounted: Bool { true }
    }
}

/// The payload of `session/set`: quality and rate, with controls and zoom. All are applied, or none.
package struct SessionSet: CommandForm {
    package static let mayHaveTime = true
    package static var bare: [FieldKind] { [.text(name)] }

    /// Names of qualities, of which the first that the camera can do is taken; empty: it stays as it is.
    package var qualities: [String] = []
    /// Frames per second, above 0; nil: the rate that was requested last, or else the configured one.
    package var rate: Double?
    package var controls: ControlsSet?
    package var zoom: ZoomGoal?

    private static let name = TextRule.upTo(64)

    init() {}

    package var policy: CommandPolicy { CommandPolicy(movesZoom: zoom != nil, savesState: true) }

    package init?(bare part: JSON) throws(CommandError) {
        guard case .text = part else { return nil }
        do throws(FormError) { qualities = [try String.read(part, Self.name, .strict)] } catch {
            throw error.inside("quality").asCommandError
        }
    }

    package init?(shortForm word: String) {
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

/// The state of `session`: quality, size and rate of the frames.
package struct SessionState: StateForm {
    var quality: String
    var width: Int
    var height: Int
    var rate: Double
    var pixelFormat: String

    package init(quality: String, width: Int, height: Int, rate: Double, pixelFormat: String) {
        (self.quality, self.width, self.height) = (quality, width, height)
        (self.rate, self.pixelFormat) = (rate, pixelFormat)
    }

    package static var tellsOrigin: Bool { true }

    package init(_ f: inout some FormVisitor<Self>) {
        quality = f("quality", \.quality, .id, "In effect.")
        width = f("width", \.width, .pixels, "Pixels.")
        height = f("height", \.height, .pixels, "Pixels.")
        rate = f("fps", \.rate, .above(0), "As the driver reports it.")
        pixelFormat = f("pixel_format", \.pixelFormat, .pixelFormat, "V4L2's code, with `-BE` if big-endian.")
    }
}

extension Node.Session {
    package struct Saved: SavedPart {
        /// The session that a command requested; nil: as configured.
        package var session: SavedSession?

        package init() {}

        package init(_ f: inout some FormVisitor<Self>) {
            session = f.maybe("session", \.session, .any, "What a command requested.")
            f.check(
                session.map { $0.quality.isSavedName && $0.rate.map { $0 > 0 } ?? true } ?? true, "session",
                "expected a name of 1 to 64 bytes, and a rate above 0.")
        }
    }
}

/// The session that a command requested.
package struct SavedSession: Sendable, Equatable, Form {
    /// The name of the quality.
    package var quality: String
    /// Frames per second, above 0; nil: no command requested a rate.
    package var rate: Double?

    package init(quality: String, rate: Double?) { (self.quality, self.rate) = (quality, rate) }

    package init(_ f: inout some FormVisitor<Self>) {
        quality = f("quality", \.quality, .any, "Its name.")
        rate = f.maybe("rate", \.rate, .any, "Frames per second.")
    }
}
