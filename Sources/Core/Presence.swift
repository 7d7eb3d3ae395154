package import Cameras
package import Contract

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
    /// As the camera's retained state has it.
    package var availability: Availability {
        Availability(.offline, reason: kind.rawValue, error: problem)
    }

    /// Why no command can be carried out.
    var error: CommandError { CommandError(.unavailable, "The camera \(words).") }

    /// Completes a sentence that begins with "The camera".
    var words: String {
        let words =
            switch kind {
            case .notFound: "was not found"
            case .unplugged: "was unplugged"
            case .unusable: "can't be used"
            case .replaced: "was replaced by a source that is earlier in the list"
            }
        return words + (problem.map { ": \($0)" } ?? "")
    }
}
