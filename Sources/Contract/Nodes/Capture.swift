package import Settings

/// The payload of `capture/set`: options of photos, a phase of a button's press, or the end of captures.
enum CaptureCommand: Equatable, CommandForm {
    case photos(CaptureSet)
    case press(PressSet)
    case stop(CaptureStop)

    static let mayHaveTime = true
    static var ofEmptyPayload: CaptureCommand? { .photos(CaptureSet()) }

    init(_ f: inout some FormVisitor<Self>) {
        if let press = f.option(
            having: ["phase", "button", "remote"], { if case .press(let press) = $0 { press } else { nil } })
        {
            self = .press(press)
        } else if let stop = f.option(
            having: ["stop", "capture"], { if case .stop(let stop) = $0 { stop } else { nil } })
        {
            self = .stop(stop)
        } else {
            self = .photos(f.group { if case .photos(let photos) = $0 { photos } else { CaptureSet() } })
        }
    }

    var body: Command.Body {
        switch self {
        case .photos(let command): .capture(command)
        case .press(let command): .press(command)
        case .stop(let command): .stopCapture(command)
        }
    }
}

/// One phase of a press of a shutter button.
package struct PressSet: Sendable, Equatable, Form {
    package enum Phase: String, Sendable, FieldWord {
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

    package init(_ f: inout some FormVisitor<Self>) {
        phase = f(
            "phase", \.phase, .any,
            "Of the press of a shutter button.", missing: "required for a button: began, ended or cancelled.")
        button = f("button", \.button, .any, default: .primary, "Which has a function.")
        isRemote = f(
            "remote", \.isRemote, .any, default: false,
            "An event `sound` names the sound to play.")
        // A press that has not ended takes no photo.
        photo.look = f.option { $0.phase == .ended ? $0.photo.look : nil } ?? PhotoLook()
        f.refuse(["quality", "size", "reply"], when: .unequal("phase", .text("ended")), "unknown field.")
    }
}

extension ButtonRole: FieldWord {}

/// The end of captures of the client: those that wait, and series.
package struct CaptureStop: Sendable, Equatable, Form {
    /// The `id` of the command that is to be ended; nil: all of the client.
    package var capture: String?

    package init(_ f: inout some FormVisitor<Self>) {
        _ = f(
            "stop", { _ in true }, .onlyTrue,
            "Ends captures of this client.", missing: "the only allowed value is true.")
        capture = f.maybe(
            "capture", \.capture, .upTo(64), "With `stop`: only the one with this `id`.")
    }
}
