internal import Contract
internal import Settings

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
