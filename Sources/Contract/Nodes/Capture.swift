package import Settings

extension Node {
    package static var capture: Node { Node(Capture.self) }

    /// Photos, and the shutter as a button.
    package enum Capture: NodeContract {
        package typealias Command = CaptureCommand
        package typealias State = CaptureState
        package static var name: String { "capture" }
    }
}

/// The payload of `capture/set`: options of photos, a phase of a button's press, or the end of captures.
package enum CaptureCommand: CommandForm {
    case photos(CaptureSet)
    case press(PressSet)
    case stop(CaptureStop)

    package static let mayHaveTime = true
    package static var ofEmptyPayload: CaptureCommand? { .photos(CaptureSet()) }

    package init(_ f: inout some FormVisitor<Self>) {
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

    package var policy: CommandPolicy {
        switch self {
        case .photos(let photos):
            CommandPolicy(movesZoom: photos.zoom != nil, photos: photos.countInAMinute, usesFrames: true)
        case .press(let press): CommandPolicy(photos: press.phase == .cancelled ? 0 : 1, mayWait: false)
        case .stop: CommandPolicy(needsDevice: false, runsOnce: false, isRateLimited: false, mayWait: false)
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

/// The state of `capture`.
package struct CaptureState: StateForm {
    var pending: Int
    var counter: Int
    var last: PhotoFields?
    var pressed: [ButtonRole]

    package init(pending: Int, counter: Int, last: PhotoFields?, pressed: [ButtonRole]) {
        (self.pending, self.counter, self.last, self.pressed) = (pending, counter, last, pressed)
    }

    package init(_ f: inout some FormVisitor<Self>) {
        pending = f("pending", \.pending, .count, "Photos requested and not done.")
        counter = f("counter", \.counter, .count, "Photos taken, over all starts.")
        last = f("last", \.last, .any, "The newest.")
        pressed = f("pressed", \.pressed, .each(.any), "Buttons that are held.")
    }
}

extension Node.Capture {
    package struct Saved: SavedPart {
        /// The number of the last photo that was stored.
        package var photoNumber = 0
        /// The last photo that was stored.
        package var lastPhoto: PhotoFields?

        package init() {}

        package init(_ f: inout some FormVisitor<Self>) {
            photoNumber = f("captures", \.photoNumber, .counter, "The number of the last photo.")
            lastPhoto = f.maybe("lastPhoto", \.lastPhoto, .any, "The last photo.")
        }
    }
}
