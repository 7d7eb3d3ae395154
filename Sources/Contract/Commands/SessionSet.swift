package import ZoomModel

/// The payload of `session/set`: quality and rate, with controls and zoom. All are applied, or none.
package struct SessionSet: Sendable, Equatable, CommandContent {
    static let mayHaveTime = true

    /// Names of qualities, of which the first that the camera can do is taken; empty: it stays as it is.
    package var qualities: [String] = []
    /// Frames per second, above 0; nil: the rate that was requested last, or else the configured one.
    package var rate: Double?
    package var controls: ControlsSet?
    package var zoom: ZoomGoal?

    private static let maxQualities = 16
    /// Bytes of a name.
    private static let longestName = 64

    init() {}

    init?(bare part: JSON) throws(CommandError) {
        guard case .text(let name) = part else { return nil }
        guard (1...Self.longestName).contains(name.utf8.count) else {
            throw CommandError(
                .badPayload,
                "quality: expected a text of 1 to \(Self.longestName) bytes, found \(name.utf8.count) bytes.",
                field: "quality")
        }
        qualities = [name]
    }

    init?(shortForm word: String) {
        // Of the name of a quality, such as `hd1280x720`. Anything else is a mistake in JSON.
        guard word.utf8.allSatisfy(\.isLetterOrDigit), !word.isEmpty else { return nil }
        qualities = [word]
    }

    init(_ fields: inout Fields) throws(CommandError) {
        qualities = try Self.readQualities(&fields)
        rate = try fields.positive("fps")
        controls = try fields.object("controls", ControlsSet.init)
        zoom = try fields.object("zoom", ZoomGoal.readWhole)
        try fields.refuseOthers()
        if qualities.isEmpty && rate == nil && controls == nil && zoom == nil {
            throw CommandError(.badPayload, "Send at least one of quality, fps, controls and zoom.")
        }
    }

    /// One name, or a list of them.
    static func readQualities(_ fields: inout Fields) throws(CommandError) -> [String] {
        try fields.texts("quality", atMost: maxQualities, bytes: longestName) ?? []
    }
}
