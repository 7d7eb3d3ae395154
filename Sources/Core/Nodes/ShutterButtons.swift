internal import Base
internal import Cameras
internal import Contract
internal import Logging
internal import Settings
internal import ZoomModel

/// The commands of `capture`: photos, and the shutter as a button, from the press to the photo or the
/// recording.
///
/// A press gets the camera ready: frames come, and their exposure has settled. Its end takes the photo. A
/// press that is held long enough records until it ends. Each client has its own two buttons.
final class ShutterButtons: BasedNode, CommandNode {
    typealias Contract = Node.Capture

    private typealias Key = ShutterPress.Key

    /// How far the device is from its next photo.
    private enum Readiness {
        case asleep
        /// Frames come until their exposure has settled.
        case settling(ExposureSettling)
        /// Frames come until this time, and their exposure has settled.
        case ready(until: ContinuousClock.Instant)
    }

    /// After this duration a press ends, although the button is held.
    private static let maxDuration = Duration.seconds(600)
    /// Held buttons, and besides as many abandoned presses.
    private static let maxPresses = 64
    /// The interval of frames that keep a device streaming while a button is held, and how long it streams
    /// without one.
    private static let wakeInterval = Duration.seconds(2)
    private static let readyDuration = Duration.seconds(4)

    private let capture: CaptureNode
    private let recording: RecordingNode
    /// In the order in which they began.
    private var presses: [ShutterPress] = []
    /// Those that wait until the camera is ready.
    private var released: [ReleasedPress] = []
    private var readiness = Readiness.asleep
    private lazy var timer = context.timer { [weak self] in self?.timerFired() }

    init(_ base: NodeBase, capture: CaptureNode, recording: RecordingNode) {
        (self.capture, self.recording) = (capture, recording)
        super.init(base)
    }

    private var settings: ShutterSettings { context.settings.shutter }

    /// The buttons that are held down.
    private var held: [ShutterPress] { presses.filter(\.isHeld) }

    /// Whether a command would release a button that the client holds.
    func releasesButton(_ command: PressSet, by client: ClientIdentity?) -> Bool {
        let key = Key(client: client, button: command.button)
        return command.phase != .began && held.contains { $0.key == key }
    }

    private func place(of key: Key) -> Int? { presses.firstIndex { $0.key == key } }

    /// Forgets the press of a button.
    private func take(_ key: Key) -> ShutterPress? { place(of: key).map { presses.remove(at: $0) } }

    // MARK: Phases

    func handle(_ command: CaptureCommand, _ request: Request) throws(CommandError) {
        switch command {
        case .photos(let command): try capture.takePhotos(command, request)
        case .press(let command): try handle(command, request)
        case .stop(let command): capture.stop(command, request)
        }
    }

    private func handle(_ command: PressSet, _ request: Request) throws(CommandError) {
        let key = Key(client: request.client, button: command.button)
        switch command.phase {
        case .began: try began(key, command, request)
        case .ended: try ended(key, command, request)
        case .cancelled:
            if let press = take(key), press.isHeld { end(press) }
            pressesChanged()
            context.reply(.done, to: request)
        }
    }

    private func began(_ key: Key, _ command: PressSet, _ request: Request) throws(CommandError) {
        // The end of the press before was lost.
        if let before = take(key), before.isHeld { end(before) }
        try makeRoom(for: request.owner)
        let isReady = isReady
        presses.append(
            ShutterPress(key: key, began: context.now, request: request, isRemote: command.isRemote))
        pressesChanged()
        if isReady { return context.reply(.done, to: request) }
        context.reply(.accepted, to: request)
        if case .settling = readiness { return }
        let settling = ExposureSettling(context, device: device, photos: media.photos) { [weak self] in
            self?.becameReady()
        }
        readiness = .settling(settling)
        settling.begin()
    }

    /// Ends a press of another client if too many buttons are held.
    private func makeRoom(for client: FairShare.Owner) throws(CommandError) {
        let held = held
        let place = try FairShare.place(
            for: client, among: held.map(\.request.owner), atMost: Self.maxPresses,
            else: "\(Self.maxPresses) buttons are pressed already.")
        guard let place else { return }
        end(held[place])
        abandon(held[place].key, .pressMadeRoom)
    }

    private func ended(_ key: Key, _ command: PressSet, _ request: Request) throws(CommandError) {
        // Without a press its beginning was lost; the photo is still taken.
        guard let press = take(key) else { return try act(command, request) }
        // It is answered with the recording that the press made, or why it did nothing.
        if case .abandoned(let result) = press.stage { return recording.stop(try result.get(), for: request) }
        pressesChanged()
        var command = command
        command.isRemote = press.isRemote || command.isRemote
        if case .recording(let result) = press.stage {
            context.reply(.superseded, to: press.request)
            return recording.stop(try result.get(), for: request)
        }
        guard press.request.isOpen, action(of: key.button) == .photo else {
            context.reply(.superseded, to: press.request)
            return try act(command, request)
        }
        released.append(ReleasedPress(command: command, began: press.request, release: request))
        if !command.photo.isAnsweredByPhoto(to: request) { context.reply(.accepted, to: request) }
    }

    /// Ends a press without its action.
    private func end(_ press: ShutterPress) {
        context.reply(.superseded, to: press.request)
        if case .recording(.success(let number)) = press.stage, recording.number == number {
            recording.end(.stopped)
        }
    }

    /// Keeps a press until the button is released; of too many, the oldest is removed.
    private func abandon(_ key: Key, _ error: CommandError) {
        guard let place = place(of: key) else { return }
        presses[place].abandon(error)
        let abandoned = presses.indices.filter { !presses[$0].isHeld }
        if abandoned.count > Self.maxPresses { presses.remove(at: abandoned[0]) }
    }

    override func failPending(_ cause: PendingFailure) {
        readiness = .asleep
        timer.cancel()
        let reason: CommandError = cause == .privacy ? .pressOfPrivateCamera : .pressWithoutDevice
        let requests = presses.map(\.request) + released.takeAll().flatMap { [$0.began, $0.release] }
        for press in held { abandon(press.key, reason) }
        context.end(requests, cause)
        publishButtons()
    }

    // MARK: Actions

    private func action(of button: ButtonRole) -> ShutterAction {
        button == .primary ? settings.primary : settings.secondary
    }

    private func act(
        _ command: PressSet, _ request: Request, isAccepted: Bool = false
    ) throws(CommandError) {
        let sound = command.isRemote ? ShutterSound(button: command.button, request: request) : nil
        switch action(of: command.button) {
        case .photo: try capture.takePhotos(command.photo, request, sound: sound, isAccepted: isAccepted)
        case .record:
            if let number = recording.number, recording.isRunning {
                recording.stop(number, for: request)
            } else {
                try recording.start(.init(), request.origin(.command), starter: request, sound: sound)
            }
        }
    }

    /// The button is held long enough: it records until it is released.
    private func becameLong(_ press: ShutterPress) {
        var stage = ShutterPress.Stage.long
        if !recording.isActive {
            stage = .recording(Result { () throws(CommandError) in try startRecording(press) })
        }
        if let place = place(of: press.key) { presses[place].stage = stage }
    }

    private func startRecording(_ press: ShutterPress) throws(CommandError) -> Int {
        let sound = press.isRemote ? ShutterSound(button: press.key.button, request: press.request) : nil
        do throws(CommandError) {
            return try recording.start(.init(), press.request.origin(.command), starter: nil, sound: sound)
        } catch {
            context.logger.warning("\(context.id): no recording: \(error.message)")
            throw error
        }
    }

    // MARK: Getting ready

    private var isReady: Bool {
        if case .ready(let until) = readiness { context.now < until } else { false }
    }

    private func becameReady() {
        guard case .settling = readiness else { return }
        readiness = .ready(until: context.now.advanced(by: Self.readyDuration))
        let released = released.takeAll()
        for press in presses { context.reply(.done, to: press.request) }
        for shot in released {
            context.reply(.done, to: shot.began)
            do throws(CommandError) {
                try act(shot.command, shot.release, isAccepted: true)
            } catch {
                context.refuse(shot.release, error)
            }
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
        let pressed = Set(held.map(\.key.button))
        capture.setPressed(ButtonRole.allCases.filter(pressed.contains))
    }

    private func schedule() {
        let held = held
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
        for press in held {
            if now >= press.began.advanced(by: Self.maxDuration) {
                end(press)
                abandon(press.key, .pressTooLong)
            } else if let longPress = settings.longPress, press.isShort,
                now >= press.began.advanced(by: longPress)
            {
                becameLong(press)
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
