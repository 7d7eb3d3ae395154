internal import Cameras
internal import LoopThread
internal import Messages
internal import Settings
internal import ZoomModel

/// `capture/set` with phases: the shutter as a button, from the press to the photo or the recording.
///
/// A press gets the camera ready: frames come, and their exposure has settled. Its end takes the photo. A
/// press that is held long enough records until it ends. Each client has its own two buttons.
final class ShutterButtons: CameraNode {
    private struct Key: Hashable {
        let client: String?
        let button: PressSet.Button
    }

    /// A button that is held down.
    private struct Press {
        enum Hold {
            /// It isn't held long enough for a recording yet.
            case short
            /// It is held long enough, but a recording was under way already.
            case long
            /// It records until it is released: the recording's number, or why there is none.
            case recording(Result<Int, CommandError>)
        }

        let began: ContinuousClock.Instant
        let request: Request
        /// The user doesn't see the camera: a sound event confirms the press.
        let isRemote: Bool
        /// Whether `request` has been answered: the camera is ready.
        var isReady = false
        var hold = Hold.short

        var isShort: Bool { if case .short = hold { true } else { false } }
    }

    /// A press that has ended: its photo is taken as soon as the camera is ready.
    private struct ReleasedPress {
        let button: PressSet.Button
        let press: Press
        let release: Request
        let isRemote: Bool
    }

    /// How long a press is remembered that never ends.
    private static let maxDuration = Duration.seconds(600)
    private static let maxPresses = 64
    /// The interval of frames that keep a device streaming while a button is held, and how long it streams
    /// without one.
    private static let wakeInterval = Duration.seconds(2)
    private static let readyDuration = Duration.seconds(4)

    private let context: CameraContext
    private let device: Device
    private let capture: CaptureNode
    private let recording: RecordingNode
    private let photos: any PhotoService
    private var presses: [Key: Press] = [:]
    private var released: [ReleasedPress] = []
    /// The held buttons as they were published last.
    private var publishedButtons: [PressSet.Button] = []
    /// Present while the camera gets ready.
    private var settling: ExposureSettling?
    private var readyUntil: ContinuousClock.Instant?
    private lazy var timer = context.timer { [weak self] in self?.timerFired() }

    init(
        _ context: CameraContext, device: Device, capture: CaptureNode, recording: RecordingNode,
        photos: any PhotoService
    ) {
        (self.context, self.device, self.capture) = (context, device, capture)
        (self.recording, self.photos) = (recording, photos)
    }

    private var settings: ShutterSettings { context.settings.shutter }

    /// Whether a command would end a press that the client holds.
    func releasesButton(_ command: PressSet, by client: String?) -> Bool {
        command.phase != .began && presses[Key(client: client, button: command.button)] != nil
    }

    // MARK: Phases

    func handle(_ body: Command.Body, _ request: Request) {
        guard case .press(let command) = body else { return capture.handle(body, request) }
        let key = Key(client: request.envelope.client, button: command.button)
        switch command.phase {
        case .began: began(key, command, request)
        case .ended: ended(key, command, request)
        case .cancelled:
            if let press = presses.removeValue(forKey: key) { abandon(press) }
            pressesChanged()
            context.reply(.done, to: request)
        }
    }

    private func began(_ key: Key, _ command: PressSet, _ request: Request) {
        // The end of the press before was lost.
        if let before = presses.removeValue(forKey: key) { abandon(before) }
        guard presses.count < Self.maxPresses else {
            return context.refuse(
                request, CommandError(.busy, "\(presses.count) buttons are held down already."))
        }
        presses[key] = Press(began: context.now, request: request, isRemote: command.isRemote)
        pressesChanged()
        if isReady { return answerReady(key) }
        context.reply(.accepted, to: request)
        if settling != nil { return }
        readyUntil = nil
        let settling = ExposureSettling(context, device: device, photos: photos) { [weak self] in
            self?.becameReady()
        }
        self.settling = settling
        settling.begin()
    }

    private func ended(_ key: Key, _ command: PressSet, _ request: Request) {
        guard let press = presses.removeValue(forKey: key) else {
            // Its beginning was lost; the photo is taken nevertheless.
            return act(key.button, request, isRemote: command.isRemote)
        }
        pressesChanged()
        switch press.hold {
        case .recording(let result):
            if !press.isReady { context.reply(.superseded, to: press.request) }
            switch result {
            case .success(let number): recording.stop(number, for: request)
            case .failure(let error): context.refuse(request, error)
            }
        case .short, .long:
            if !press.isReady && action(of: key.button) == .photo {
                released.append(
                    ReleasedPress(
                        button: key.button, press: press, release: request,
                        isRemote: press.isRemote || command.isRemote))
                return context.reply(.accepted, to: request)
            }
            if !press.isReady { context.reply(.superseded, to: press.request) }
            act(key.button, request, isRemote: press.isRemote || command.isRemote)
        }
    }

    /// Ends a press without its action.
    private func abandon(_ press: Press) {
        if !press.isReady { context.reply(.superseded, to: press.request) }
        if case .recording(.success(let number)) = press.hold, recording.number == number {
            recording.end(.stopped)
        }
    }

    func failPending(_ cause: PendingFailure) {
        let (pressed, shots) = (presses.values, released)
        (presses, released) = ([:], [])
        (settling, readyUntil) = (nil, nil)
        timer.cancel()
        for press in pressed where !press.isReady { context.refuse(press.request, cause.error) }
        for shot in shots {
            if !shot.press.isReady { context.refuse(shot.press.request, cause.error) }
            context.refuse(shot.release, cause.error)
        }
        publishButtons()
    }

    // MARK: Actions

    private func action(of button: PressSet.Button) -> ShutterAction {
        button == .primary ? settings.primary : settings.secondary
    }

    private func act(
        _ button: PressSet.Button, _ request: Request, isRemote: Bool, isAccepted: Bool = false
    ) {
        let sound = isRemote ? ShutterSound(button: button, request: request) : nil
        switch action(of: button) {
        case .photo: capture.takePhotos(CaptureSet(), request, sound: sound, isAccepted: isAccepted)
        case .record:
            if let number = recording.number, recording.isRunning {
                recording.stop(number, for: request)
            } else {
                recording.start(.init(), for: request, sound: sound)
            }
        }
    }

    /// The button is held long enough: it records until it is released.
    private func becameLong(_ key: Key, _ press: Press) {
        presses[key]?.hold = .long
        if recording.isActive { return }
        let sound = press.isRemote ? ShutterSound(button: key.button, request: press.request) : nil
        presses[key]?.hold = .recording(
            recording.start(.init(), press.request.origin(.command), starter: nil, sound: sound))
    }

    // MARK: Getting ready

    private var isReady: Bool { readyUntil.map { context.now < $0 } ?? false }

    private func answerReady(_ key: Key) {
        guard let press = presses[key], !press.isReady else { return }
        presses[key]?.isReady = true
        context.reply(.done, to: press.request)
    }

    private func becameReady() {
        settling = nil
        readyUntil = context.now.advanced(by: Self.readyDuration)
        for key in presses.keys.sorted(by: { $0.button.rawValue < $1.button.rawValue }) { answerReady(key) }
        let shots = released
        released = []
        for shot in shots {
            context.reply(.done, to: shot.press.request)
            act(shot.button, shot.release, isRemote: shot.isRemote, isAccepted: true)
        }
        schedule()
    }

    /// Has the device stream for a while longer.
    private func keepAwake() {
        readyUntil = context.now.advanced(by: Self.readyDuration)
        device.frame(exposedAfter: context.now) { _ in }
    }

    // MARK: Time

    private func pressesChanged() {
        schedule()
        publishButtons()
    }

    private func publishButtons() {
        let pressed = PressSet.Button.allCases.filter { button in
            presses.keys.contains { $0.button == button }
        }
        guard pressed != publishedButtons else { return }
        publishedButtons = pressed
        capture.setPressed(pressed)
    }

    private func schedule() {
        guard !presses.isEmpty else { return timer.cancel() }
        var times = presses.values.map { $0.began.advanced(by: Self.maxDuration) }
        if let longPress = settings.longPress {
            times += presses.values.filter(\.isShort).map { $0.began.advanced(by: longPress) }
        }
        if let readyUntil {
            times.append(readyUntil.advanced(by: Self.wakeInterval - Self.readyDuration))
        }
        timer.set(at: times.min())
    }

    private func timerFired() {
        let now = context.now
        for (key, press) in presses {
            if now >= press.began.advanced(by: Self.maxDuration) {
                presses[key] = nil
                abandon(press)
            } else if let longPress = settings.longPress, press.isShort,
                now >= press.began.advanced(by: longPress)
            {
                becameLong(key, press)
            }
        }
        if let readyUntil, now >= readyUntil.advanced(by: Self.wakeInterval - Self.readyDuration) {
            keepAwake()
        }
        pressesChanged()
    }
}
