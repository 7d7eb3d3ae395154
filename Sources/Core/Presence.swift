package import Cameras
internal import Contract

/// Whether a camera's device is there.
package enum Presence: Equatable, Sendable {
    /// The source hasn't reported yet.
    case unknown
    case absent(CameraAbsence)
    /// The device was found; its session and controls are being restored.
    case arriving
    /// The device goes back to the saved zoom. Commands are admitted already.
    case restoring
    case ready
    /// A call has failed with `unplugged`; the source hasn't reported the end of the device yet.
    case leaving
    /// The camera is private: the device is closed, or is being closed, and isn't opened again.
    case `private`

    /// Why no command can be carried out; nil: commands are admitted.
    var error: CommandError? {
        switch self {
        case .restoring, .ready: nil
        case .unknown, .arriving: CommandError(.unavailable, "The camera isn't ready yet.")
        case .leaving: CameraError.unplugged.forMessages
        case .absent(let absence): absence.error
        case .private: .private
        }
    }
}

extension CameraAbsence {
    /// The reason as the camera's availability has it.
    package var reason: String {
        switch self {
        case .notFound: "not_found"
        case .unplugged: "unplugged"
        case .unusable: "unusable"
        case .replaced: "replaced"
        }
    }

    /// Why no command can be carried out.
    var error: CommandError { CommandError(.unavailable, "The camera \(words).") }

    /// Completes a sentence that begins with "The camera".
    var words: String {
        switch self {
        case .notFound: "was not found"
        case .unplugged: "was unplugged"
        case .unusable(let words): "can't be used: \(words)"
        case .replaced: "was replaced by a source that is earlier in the list"
        }
    }
}
