internal import Cameras
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import ZoomModel

/// `capture/set` with phases: the shutter as a button, from the finger that comes down to what it is there for.
///
/// A press has the camera get ready (frames come, their exposure has settled), its end takes the photo, and one that is held long enough
/// records until it is let go. Each client has its own two buttons.
final class ShutterNode {
    private struct Key: Hashable {
        let client: String?
        let button: PressSet.Button
    }

    private struct Press {
        let began: ContinuousClock.Instant
        /// Who pressed.
        let asker: Asker
        /// Nobody looks at the camera there: a sound says what happened.
        let isRemote: Bool
        /// Whether `asker` was told that the camera is ready.
        var isReady = false
        /// It was held for long enough to record: the number of the recording, which its end ends, or why there is none.
        var recording: Result<Int, CommandError>?
        /// It has been held for so long, whatever came of it.
        var isLong = false
    }

    /// A press whose finger is up already: what it is there for is done as soon as the camera is ready.
    private struct Shot {
        let button: PressSet.Button
        let press: Press
        let finisher: Asker
    }

    /// So long a press is remembered whose end never comes.
    private static let longest = Duration.seconds(600)
    private static let pressesAtMost = 64
    /// How often a camera is kept awake that somebody's finger is on, and how long it stays so.
    private static let wakeEvery = Duration.seconds(2)
    private static let staysAwake = Duration.seconds(4)

    private unowned let camera: Camera
    private var presses: [Key: Press] = [:]
    private var shots: [Shot] = []
    /// The buttons that were said last to be held down.
    private var said: [PressSet.Button] = []
    /// The camera gets ready now.
    private var watch: ExposureWatch?
    /// So long it is ready, without anything being done.
    private var isReadyUntil: ContinuousClock.Instant?
    private lazy var timer = camera.agent.loop.timer { [weak self] in self?.timerFired() }

    init(_ camera: Camera) { self.camera = camera }

    private var agent: Agent { camera.agent }
    private var settings: ShutterSettings { camera.settings.shutter }

    /// The buttons that are held down.
    var pressed: [PressSet.Button] {
        PressSet.Button.allCases.filter { button in presses.keys.contains { $0.button == button } }
    }

    /// Whether this would end a press that is held.
    func isEnd(_ command: PressSet, by client: String?) -> Bool {
        command.phase != .began && presses[Key(client: client, button: command.button)] != nil
    }

    func handle(_ command: PressSet, _ asker: Asker) {
        let key = Key(client: asker.envelope.client, button: command.button)
        switch command.phase {
        case .began: began(key, command, asker)
        case .ended: ended(key, command, asker)
        case .cancelled:
            if let press = presses.removeValue(forKey: key) { abandon(press) }
            changed()
            camera.answer(.done, asker)
        }
    }

    private func began(_ key: Key, _ command: PressSet, _ asker: Asker) {
        // A second one without an end: that got lost.
        if let before = presses.removeValue(forKey: key) { abandon(before) }
        guard presses.count < Self.pressesAtMost else {
            return agent.refuse(
                CommandError(.busy, "\(presses.count) buttons are held down already."), asker)
        }
        presses[key] = Press(began: agent.loop.now, asker: asker, isRemote: command.isRemote)
        changed()
        if isReady { return tellReady(key) }
        camera.answer(.accepted, asker)
        if watch != nil { return }
        watch = ExposureWatch(camera) { [weak self] in self?.becameReady() }
        watch?.look()
    }

    private func ended(_ key: Key, _ command: PressSet, _ asker: Asker) {
        guard let press = presses[key] else {
            // Its beginning got lost; the photo mustn't.
            return act(key.button, asker, isRemote: command.isRemote)
        }
        presses[key] = nil
        changed()
        if press.recording == nil && !press.isReady && action(of: key.button) == .photo {
            shots.append(Shot(button: key.button, press: press, finisher: asker))
            return camera.answer(.accepted, asker)
        }
        if !press.isReady { camera.answer(.superseded, press.asker) }
        switch press.recording {
        case .success(let number): camera.recording.stop(number, for: asker)
        case .failure(let error): agent.refuse(error, asker)
        case nil: act(key.button, asker, isRemote: press.isRemote || command.isRemote)
        }
    }

    /// Ends a press that comes to nothing.
    private func abandon(_ press: Press) {
        if !press.isReady { camera.answer(.superseded, press.asker) }
        if case .success(let number) = press.recording, camera.recording.current == number {
            camera.recording.end(.stopped)
        }
    }

    /// The camera is gone: nobody holds anything any more.
    func letGo(_ error: CommandError) {
        for press in presses.values + shots.map(\.press) where !press.isReady {
            agent.refuse(error, press.asker)
        }
        for shot in shots { agent.refuse(error, shot.finisher) }
        (presses, shots) = ([:], [])
        (watch, isReadyUntil, said) = (nil, nil, [])
        timer.cancel()
    }

    // MARK: What a button is there for

    private func action(of button: PressSet.Button) -> CameraInfo.Shutter.Action {
        button == .primary ? settings.primary : settings.secondary
    }

    private func act(_ button: PressSet.Button, _ asker: Asker, isRemote: Bool, isAccepted: Bool = false) {
        let sound = isRemote ? Sound(button: button, asker: asker) : nil
        switch action(of: button) {
        case .photo: camera.takePhotos(CaptureSet(), asker, sound: sound, isAccepted: isAccepted)
        case .record:
            if let current = camera.recording.current, camera.recording.isRunning {
                camera.recording.stop(current, for: asker)
            } else {
                camera.recording.start(.init(), for: asker, asker.origin(.command), sound: sound)
            }
        }
    }

    /// It is held for long enough: it records until it is let go.
    private func hold(_ key: Key, _ press: Press) {
        presses[key]?.isLong = true
        // One that goes on already isn't its own.
        if camera.recording.isActive { return }
        let sound = press.isRemote ? Sound(button: key.button, asker: press.asker) : nil
        presses[key]?.recording = camera.recording.start(
            .init(), for: nil, press.asker.origin(.command), sound: sound)
    }

    // MARK: Getting ready

    private var isReady: Bool { isReadyUntil.map { agent.loop.now < $0 } ?? false }

    private func tellReady(_ key: Key) {
        guard let press = presses[key], !press.isReady else { return }
        presses[key]?.isReady = true
        camera.answer(.done, press.asker)
    }

    private func becameReady() {
        watch = nil
        isReadyUntil = agent.loop.now.advanced(by: Self.staysAwake)
        for key in presses.keys.sorted(by: { $0.button.rawValue < $1.button.rawValue }) { tellReady(key) }
        let ready = shots
        shots = []
        for shot in ready {
            camera.answer(.done, shot.press.asker)
            act(shot.button, shot.finisher, isRemote: shot.press.isRemote, isAccepted: true)
        }
        schedule()
    }

    /// The stream goes on for a while after each frame that was wanted.
    private func keepAwake() {
        isReadyUntil = agent.loop.now.advanced(by: Self.staysAwake)
        camera.backend.frame(exposedAfter: agent.loop.now) { _ in }
    }

    // MARK: Time

    private func changed() {
        schedule()
        guard pressed != said else { return }
        said = pressed
        camera.publishCapture()
    }

    private func schedule() {
        guard !presses.isEmpty else { return timer.cancel() }
        var times = presses.values.map { $0.began.advanced(by: Self.longest) }
        if let longPress = settings.longPress {
            times += presses.values.filter { !$0.isLong }.map { $0.began.advanced(by: longPress) }
        }
        if let isReadyUntil { times.append(isReadyUntil.advanced(by: Self.wakeEvery - Self.staysAwake)) }
        timer.set(at: times.min())
    }

    private func timerFired() {
        let now = agent.loop.now
        for (key, press) in presses {
            if now >= press.began.advanced(by: Self.longest) {
                presses[key] = nil
                abandon(press)
            } else if let longPress = settings.longPress, !press.isLong,
                now >= press.began.advanced(by: longPress)
            {
                hold(key, press)
            }
        }
        if let isReadyUntil, now >= isReadyUntil.advanced(by: Self.wakeEvery - Self.staysAwake) {
            keepAwake()
        }
        changed()
    }
}

/// What a remote button's user is to hear, and on whose behalf.
struct Sound {
    let button: PressSet.Button
    let asker: Asker
}

extension Camera {
    /// Tells a remote button's user what happened. Whoever looks at a screen sees it.
    func tell(_ action: SoundAction, _ sound: Sound?) {
        guard let sound else { return }
        announce(.sound, by: sound.asker.envelope.client, sound.asker.envelope.id) { event in
            (event.sound, event.action, event.button) = (settings.shutter.sound, action, sound.button)
        }
    }
}
