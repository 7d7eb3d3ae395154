internal import Contract

/// A press of a shutter button. It is remembered until the button is released.
enum ShutterPress {
    case held(Held)
    /// It ended while the button was held: the device is gone, or the button was held for too long. The
    /// release takes no photo. It is answered with the recording of this number, or with the error.
    case abandoned(began: ContinuousClock.Instant, release: Result<Int, CommandError>)

    /// A button that is held down.
    struct Held {
        let began: ContinuousClock.Instant
        let request: Request
        /// The user doesn't see the camera: a sound event confirms the press.
        let isRemote: Bool
        var stage = Stage.short

        var isShort: Bool { if case .short = stage { true } else { false } }

        /// The press after its end, the button being held still.
        func abandoned(_ error: CommandError) -> ShutterPress {
            if case .recording(let result) = stage { return .abandoned(began: began, release: result) }
            return .abandoned(began: began, release: .failure(error))
        }
    }

    enum Stage {
        /// It isn't held long enough for a recording yet.
        case short
        /// It is held long enough, but a recording was under way already.
        case long
        /// It records until it is released: the recording's number, or why there is none.
        case recording(Result<Int, CommandError>)
    }

    /// Present while the button is held.
    var held: Held? { if case .held(let held) = self { held } else { nil } }
}

/// A press that has ended before the camera was ready: its photo is taken as soon as it is.
struct ReleasedPress {
    let command: PressSet
    let began: Request
    let release: Request
}
