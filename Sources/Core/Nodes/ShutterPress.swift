internal import Contract
internal import Settings
internal import ZoomModel

/// A press of a shutter button. It is remembered until the button is released.
struct ShutterPress {
    /// Each client has its own two buttons.
    struct Key: Equatable {
        let client: ClientIdentity?
        let button: ButtonRole
    }

    enum Stage {
        /// It isn't held long enough for a recording yet.
        case short
        /// It is held long enough, but a recording was under way already.
        case long
        /// It records until it is released: the recording's number, or why there is none.
        case recording(Result<Int, CommandError>)
        /// It ended while the button was held: the device is gone, or the button was held for too long. The
        /// release takes no photo. It is answered with the recording of this number, or with the error.
        case abandoned(Result<Int, CommandError>)
    }

    let key: Key
    let began: ContinuousClock.Instant
    /// Open until the camera is ready.
    let request: Request
    /// The user doesn't see the camera: a sound event confirms the press.
    let isRemote: Bool
    var stage = Stage.short

    /// Whether the button is held down and the press isn't over.
    var isHeld: Bool { if case .abandoned = stage { false } else { true } }

    var isShort: Bool { if case .short = stage { true } else { false } }

    /// Ends the press, the button being held still.
    mutating func abandon(_ error: CommandError) {
        if case .recording(let result) = stage {
            stage = .abandoned(result)
        } else {
            stage = .abandoned(.failure(error))
        }
    }
}

/// A press that has ended before the camera was ready: its photo is taken as soon as it is.
struct ReleasedPress {
    let command: PressSet
    let began: Request
    let release: Request
}

/// The sound of a remote shutter button, whose user doesn't see the camera.
struct ShutterSound {
    let button: ButtonRole
    /// The request that pressed or released the button.
    let request: Request

    /// Publishes the event that has the sound played.
    func publish(_ action: SoundAction, _ context: CameraContext) {
        context.publishEvent(.sound, by: request.envelope) { event in
            (event.sound, event.action, event.button) = (context.settings.shutter.sound, action, button)
        }
    }
}
