package import Settings

/// The payload of `capture/set` from a shutter button: one phase of a press.
package struct PressSet: Sendable, Equatable {
    package enum Phase: String, Sendable, Codable, CaseIterable {
        /// The finger is down: the camera gets ready.
        case began
        /// The finger is up: the button's action is carried out.
        case ended
        /// The press is cancelled: there is no action.
        case cancelled
    }

    package var phase: Phase
    package var button = ButtonRole.primary
    /// The button is out of sight of the camera: an event names the sound to play when the photo is taken.
    package var isRemote = false
    /// The photo that the end of the press takes: its form is the sender's, all else is as without options.
    package var photo = CaptureSet()

    package init(_ phase: Phase, _ button: ButtonRole = .primary, isRemote: Bool = false) {
        (self.phase, self.button, self.isRemote) = (phase, button, isRemote)
    }

    static let names = ["phase", "button", "remote"]

    init(_ fields: inout Fields) throws(CommandError) {
        let phase = try fields.word("phase", of: Phase.self)
        button = try fields.word("button", of: ButtonRole.self) ?? .primary
        isRemote = try fields.bool("remote") ?? false
        guard let phase else {
            throw fields.error("phase", "required for a button: began, ended or cancelled.")
        }
        self.phase = phase
        // A press that has not ended takes no photo: there these fields are unknown.
        if phase == .ended { try photo.readForm(&fields) }
    }
}

/// The payload of `capture/set`: options of photos, a phase of a button's press, or the end of captures.
struct CaptureCommand: CommandContent {
    static let mayHaveTime = true
    static var empty: CaptureCommand? { Self(body: .capture(CaptureSet())) }

    let body: Command.Body
}

extension CaptureCommand {
    init(_ fields: inout Fields) throws(CommandError) {
        let names = fields.remaining
        if names.contains(where: PressSet.names.contains) {
            body = .press(try PressSet(&fields))
        } else if names.contains(where: CaptureStop.names.contains) {
            body = .stopCapture(try CaptureStop(&fields))
        } else {
            body = .capture(try CaptureSet(&fields))
        }
    }
}
