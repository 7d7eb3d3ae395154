internal import Base
internal import Cameras
internal import Contract
internal import Settings
internal import ZoomModel

/// `capture/set` with phases: the shutter as a button, from the press to the photo or the recording.
///
/// A press gets the camera ready: frames come, and their exposure has settled. Its end takes the photo. A
/// press that is held long enough records until it ends. Each client has its own two buttons.
final class ShutterButtons: CameraNode {
    private struct Key: Hashable {
        let client: ClientIdentity?
        let button: ButtonRole
    }

    /// How far the device is from its next photo.
    private enum Readiness {
        case asleep
        /// Frames come until their exposure has settled.
        case settling(ExposureSettling, Waiting)
        /// Frames come until this time, and their exposure has settled.
        case ready(until: ContinuousClock.Instant)
    }

    /// What is answered when the camera is ready.
    private struct Waiting {
        /// The requests of held buttons.
        var pressed: [Key: Request] = [:]
        var released: [ReleasedPress] = []
    }

    /// After this duration a press ends, although the button is held.
    private static let maxDuration = Duration.seconds(600)
    /// Held buttons, and besides as many abandoned presses.
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
    private var presses: [Key: ShutterPress] = [:]
    private var readiness = Readiness.asleep
    /// The held buttons as they were published last.
    private var publishedButtons: [ButtonRole] = []
    private lazy var timer = context.timer { [weak self] in self?.timerFired() }

    init(
        _ context: CameraContext, device: Device, capture: CaptureNode, recording: RecordingNode,
        photos: any PhotoService
    ) {
        (self.context, self.device, self.capture) = (context, device, capture)
        (self.recording, self.photos) = (recording, photos)
    }

    private var settings: ShutterSettings { context.settings.shutter }

    /// The buttons that are held down.
    private var held: [Key: ShutterPress.Held] { presses.compactMapValues(\.held) }

    /// Whether a command would release a button that the client holds.
    func releasesButton(_ command: PressSet, by client: ClientIdentity?) -> Bool {
        command.phase != .began
            && presses[Key(client: client, button: command.button)]?.held != nil
    }

    // MARK: Phases

    func handle(_ body: Command.Body, _ request: Request) {
        guard case .press(let command) = body else { return capture.handle(body, request) }
        let key = Key(client: request.client, button: command.button)
        switch command.phase {
        case .began: began(key, command, request)
        case .ended: ended(key, command, request)
        case .cancelled:
            if let press = presses.removeValue(forKey: key)?.held { end(press, key) }
            pressesChanged()
            context.reply(.done, to: request)
        }
    }

    private func began(_ key: Key, _ command: PressSet, _ request: Request) {
        // The end of the press before was lost.
        if let before = presses.removeValue(forKey: key)?.held { end(before, key) }
        guard makeRoom(for: request.owner) else {
            return context.refuse(
                request, CommandError(.busy, "\(Self.maxPresses) buttons are pressed already."))
        }
        presses[key] = .held(.init(began: context.now, request: request, isRemote: command.isRemote))
        pressesChanged()
        if isReady { return context.reply(.done, to: request) }
        context.reply(.accepted, to: request)
        if case .settling(let settling, var waiting) = readiness {
            waiting.pressed[key] = request
            readiness = .settling(settling, waiting)
            return
        }
        let settling = ExposureSettling(context, device: device, photos: photos) { [weak self] in
            self?.becameReady()
        }
        readiness = .settling(settling, Waiting(pressed: [key: request]))
        settling.begin()
    }

    /// Ends a press of another client if too many buttons are held. Returns whether there is room.
    private func makeRoom(for client: FairShare.Owner) -> Bool {
        let held = held.sorted { $0.value.began < $1.value.began }
        guard held.count >= Self.maxPresses else { return true }
        guard let place = FairShare.placeToFree(held.map(\.value.request.owner), for: client) else {
            return false
        }
        end(held[place].value, held[place].key)
        abandon(held[place].value, held[place].key, .pressMadeRoom)
        return true
    }

    private func ended(_ key: Key, _ command: PressSet, _ request: Request) {
        switch presses.removeValue(forKey: key) {
        // Its beginning was lost; the photo is still taken.
        case nil: act(command, request)
        case .abandoned(_, let result): answer(request, result)
        case .held(let press):
            pressesChanged()
            var command = command
            command.isRemote = press.isRemote || command.isRemote
            release(press, key, command, request)
        }
    }

    private func release(_ press: ShutterPress.Held, _ key: Key, _ command: PressSet, _ request: Request) {
        switch press.stage {
        case .recording(let result):
            supersedeWaiting(key)
            answer(request, result)
        case .short, .long:
            if case .settling(let settling, var waiting) = readiness, action(of: key.button) == .photo,
                let began = waiting.pressed.removeValue(forKey: key)
            {
                waiting.released.append(ReleasedPress(command: command, began: began, release: request))
                readiness = .settling(settling, waiting)
                if !command.photo.isAnsweredByPhoto(to: request) { context.reply(.accepted, to: request) }
                return
            }
            supersedeWaiting(key)
            act(command, request)
        }
    }

    /// Answers a release with the recording that the press made, or why it did nothing.
    private func answer(_ release: Request, _ result: Result<Int, CommandError>) {
        switch result {
        case .success(let number): recording.stop(number, for: release)
        case .failure(let error): context.refuse(release, error)
        }
    }

    /// Ends a press without its action.
    private func end(_ press: ShutterPress.Held, _ key: Key) {
        supersedeWaiting(key)
        if case .recording(.success(let number)) = press.stage, recording.number == number {
            recording.end(.stopped)
        }
    }

    /// Answers the request of a press that waits until the camera is ready.
    private func supersedeWaiting(_ key: Key) {
        guard case .settling(let settling, var waiting) = readiness,
            let began = waiting.pressed.removeValue(forKey: key)
        else { return }
        readiness = .settling(settling, waiting)
        context.reply(.superseded, to: began)
    }

    /// Keeps a press until the button is released; of too many, the oldest is removed.
    private func abandon(_ press: ShutterPress.Held, _ key: Key, _ error: CommandError) {
        presses[key] = press.abandoned(error)
        var abandoned: [(key: Key, began: ContinuousClock.Instant)] = []
        for case (let key, .abandoned(let began, _)) in presses { abandoned.append((key, began)) }
        if abandoned.count > Self.maxPresses, let oldest = abandoned.min(by: { $0.began < $1.began }) {
            presses[oldest.key] = nil
        }
    }

    func failPending(_ cause: PendingFailure) {
        let before = readiness
        readiness = .asleep
        timer.cancel()
        let reason: CommandError =
            switch cause {
            case .privacy: .pressOfPrivateCamera
            case .deviceGone, .stopping: .pressWithoutDevice
            }
        for (key, press) in held { abandon(press, key, reason) }
        if case .settling(_, let waiting) = before {
            for request in waiting.pressed.values { context.refuse(request, cause.error) }
            for shot in waiting.released {
                context.refuse(shot.began, cause.error)
                context.refuse(shot.release, cause.error)
            }
        }
        publishButtons()
    }

    // MARK: Actions

    private func action(of button: ButtonRole) -> ShutterAction {
        button == .primary ? settings.primary : settings.secondary
    }

    private func act(_ command: PressSet, _ request: Request, isAccepted: Bool = false) {
        let sound = command.isRemote ? ShutterSound(button: command.button, request: request) : nil
        switch action(of: command.button) {
        case .photo: capture.takePhotos(command.photo, request, sound: sound, isAccepted: isAccepted)
        case .record:
            if let number = recording.number, recording.isRunning {
                recording.stop(number, for: request)
            } else {
                recording.start(.init(), for: request, sound: sound)
            }
        }
    }

    /// The button is held long enough: it records until it is released.
    private func becameLong(_ key: Key, _ press: ShutterPress.Held) {
        var press = press
        press.stage = .long
        if !recording.isActive {
            let sound = press.isRemote ? ShutterSound(button: key.button, request: press.request) : nil
            press.stage = .recording(
                recording.start(.init(), press.request.origin(.command), starter: nil, sound: sound))
        }
        presses[key] = .held(press)
    }

    // MARK: Getting ready

    private var isReady: Bool {
        if case .ready(let until) = readiness { context.now < until } else { false }
    }

    private func becameReady() {
        guard case .settling(_, let waiting) = readiness else { return }
        readiness = .ready(until: context.now.advanced(by: Self.readyDuration))
        for (_, request) in waiting.pressed.sorted(by: { $0.key.button.rawValue < $1.key.button.rawValue }) {
            context.reply(.done, to: request)
        }
        for shot in waiting.released {
            context.reply(.done, to: shot.began)
            act(shot.command, shot.release, isAccepted: true)
        }
        schedule()
    }

    /// When the device needs a further frame to stay ready.
    private var nextWake: ContinuousClock.Instant? {
        guard case .ready(let until) = readiness else { return nil }
        return until.advanced(by: Self.wakeInterval - Self.readyDuration)
    }

    /// Has the device stream for a while longer.
    private func extendStreaming() {
        readiness = .ready(until: context.now.advanced(by: Self.readyDuration))
        device.frame(exposedAfter: context.now) { _ in }
    }

    // MARK: Time

    private func pressesChanged() {
        schedule()
        publishButtons()
    }

    private func publishButtons() {
        let pressed = Set(held.keys.map(\.button))
        let buttons = ButtonRole.allCases.filter(pressed.contains)
        guard buttons != publishedButtons else { return }
        publishedButtons = buttons
        capture.setPressed(buttons)
    }

    private func schedule() {
        let held = held.values
        guard !held.isEmpty else { return timer.cancel() }
        var times = held.map { $0.began.advanced(by: Self.maxDuration) }
        if let longPress = settings.longPress {
            times += held.filter(\.isShort).map { $0.began.advanced(by: longPress) }
        }
        if let nextWake { times.append(nextWake) }
        timer.set(at: times.min())
    }

    private func timerFired() {
        let now = context.now
        for (key, press) in held {
            if now >= press.began.advanced(by: Self.maxDuration) {
                end(press, key)
                abandon(press, key, .pressTooLong)
            } else if let longPress = settings.longPress, press.isShort,
                now >= press.began.advanced(by: longPress)
            {
                becameLong(key, press)
            }
        }
        if let nextWake, now >= nextWake { extendStreaming() }
        pressesChanged()
    }
}

extension CommandError {
    /// The answers to the release of a button whose press is over.
    fileprivate static let pressWithoutDevice = CommandError(
        .unavailable, "The camera was lost during the press, which had no effect. Press it again.")
    fileprivate static let pressMadeRoom = CommandError(
        .busy, "The press made room for one of another client; it had no effect. Press the button again.")
    fileprivate static let pressOfPrivateCamera = CommandError(
        .private, "The camera was made private during the press, which had no effect. Press it again.")
    fileprivate static let pressTooLong = CommandError(
        .stale, "The button was pressed for more than ten minutes; it had no effect. Press it again.")
}
