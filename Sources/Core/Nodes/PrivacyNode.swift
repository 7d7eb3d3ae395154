internal import Cameras
internal import Contract
internal import Logging
internal import Settings
internal import ZoomModel

/// `privacy`: whether the camera's device is closed on purpose.
///
/// The state says `ON` when nothing of a frame can be sent or stored any more: the device is closed, previews
/// and recordings have ended, photos under way are discarded, and published photos are withdrawn.
final class PrivacyNode: StateNode<Node.Privacy>, CommandNode {
    private enum Phase {
        case off
        /// The device is being opened again. These requests are answered when it is known whether it is
        /// there.
        case opening([Request])
        case closing(Closing)
        case on
    }

    /// What a change to `ON` still waits for, beside the end of the recording and a black virtual camera.
    private final class Closing {
        let origin: Origin
        var requests: [Request]
        var waitsForDevice = true
        var waitsForPhotos = true

        init(_ request: Request) { (origin, requests) = (request.origin(.command), [request]) }
    }

    private let recording: RecordingNode
    private let output: OutputNode
    private var phase: Phase
    /// The last command, also one that is being carried out.
    private var setting: SavedPrivacy? {
        get { saved.privacy }
        set { saved.privacy = newValue }
    }
    /// The last command that was carried out, as the state has it.
    private lazy var published = context.saved[Contract.Saved.self].privacy
    private var publishedOrigin = Origin(kind: .restore)

    init(_ base: NodeBase, recording: RecordingNode, output: OutputNode) {
        (self.recording, self.output) = (recording, output)
        phase = base.context.saved[Contract.Saved.self].privacy?.isOn == true ? .on : .off
        super.init(base)
    }

    /// Whether the device stays closed at the start.
    var isOn: Bool { if case .on = phase { true } else { false } }

    // MARK: Commands

    func handle(_ command: PrivacyCommand, _ request: Request) throws(CommandError) {
        switch command.state {
        case .on: switchOn(request)
        case .off:
            try checkMaySwitchOff(request.client)
            switchOff(request)
        }
    }

    /// Any client can give itself one of the permitted names, so only a proved one counts.
    private func checkMaySwitchOff(_ client: ClientIdentity?) throws(CommandError) {
        guard let permitted = context.settings.privacy.off else { return }
        if let client, client.isProved, permitted.contains(client.name) { return }
        let sender = client?.name ?? "A client without a name"
        throw CommandError(
            .forbidden, "\(sender) may not switch privacy off; the clients in privacy.off may.")
    }

    private func switchOn(_ request: Request) {
        switch phase {
        case .on: return context.reply(.done, to: request)
        case .closing(let closing):
            closing.requests.append(request)
            return context.reply(.accepted, to: request)
        case .opening(let requests): for request in requests { context.reply(.superseded, to: request) }
        case .off: break
        }
        let control = device.backend.controls.first(where: \.isSettablePrivacy)
        setting = SavedPrivacy(
            isOn: true, by: request.client, since: context.timestamp,
            // A control that isn't reset yet has its value of then.
            controlBefore: setting?.controlBefore
                ?? control.map { .init(name: $0.name, value: $0.value.forMessages) })
        let closing = Closing(request)
        phase = .closing(closing)
        // With the zoom as it is: the camera comes back to it.
        context.saveState()
        device.makePrivate(
            after: .init(stopsLens: !zoom.isSettled, control: control.map { ($0.name, .flag(true)) })
        ) { [weak self] error in
            self?.deviceClosed(closing, error)
        }
        media.photos.discardUnreported(camera: context.id) { [weak self] in
            closing.waitsForPhotos = false
            self?.becomeOnIfClosed()
        }
        if case .closing = phase { context.reply(.accepted, to: request) }
    }

    private func switchOff(_ request: Request) {
        switch phase {
        case .off: return context.reply(.done, to: request)
        case .opening(let requests):
            phase = .opening(requests + [request])
            return context.reply(.accepted, to: request)
        case .closing(let closing):
            for request in closing.requests { context.reply(.superseded, to: request) }
        case .on: break
        }
        setting = SavedPrivacy(
            isOn: false, by: request.client, since: context.timestamp,
            controlBefore: setting?.controlBefore)
        (published, publishedOrigin) = (setting, request.origin(.command))
        phase = .opening([request])
        context.saveState()
        update()
        context.reply(.accepted, to: request)
        device.endPrivacy()
    }

    // MARK: The steps of a change

    private func deviceClosed(_ closing: Closing, _ error: CameraError?) {
        if let error {
            context.logger.warning(
                "\(context.id): the camera's own privacy control isn't set: \(device.commandError(error).message)"
            )
        }
        closing.waitsForDevice = false
        becomeOnIfClosed()
    }

    private func becomeOnIfClosed() {
        guard case .closing(let closing) = phase, !closing.waitsForDevice, !closing.waitsForPhotos,
            !recording.isActive, !output.showsCamera
        else { return }
        phase = .on
        (published, publishedOrigin) = (setting, closing.origin)
        // No picture is published after the state.
        context.withdrawPictures()
        update()
        for request in closing.requests { context.reply(.done, to: request) }
    }

    private func becomeOff(_ requests: [Request]) {
        phase = .off
        for request in requests { context.reply(.done, to: request) }
    }

    /// Begins with the state of the run before.
    func start() {
        if isOn { context.withdrawPictures() }
        device.start(isPrivate: isOn)
    }

    override func observe(_ change: CameraChange) {
        switch change {
        case .recordingEnded, .outputIsBlack: becomeOnIfClosed()
        case .presenceKnown:
            if case .opening(let requests) = phase, device.presence != .private { becomeOff(requests) }
        default: break
        }
    }

    /// Sets the camera's own privacy control to what it was before the agent set it, and calls back once.
    func restoreControl(then: @escaping () -> Void) {
        guard let before = setting?.controlBefore else { return then() }
        let control = device.backend.controls.first { $0.name == before.name && $0.isSettablePrivacy }
        guard let value = control?.nearest(to: before.value)?.value else { return then() }
        device.setControls([before.name: value]) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success:
                setting?.controlBefore = nil
                context.saveState()
            case .failure(let error):
                context.logger.warning(
                    "\(context.id): the camera's own privacy control isn't reset: \(device.commandError(error).message)"
                )
            }
            then()
        }
    }

    override func failPending(_ cause: PendingFailure) {
        guard case .stopping = cause else { return }
        switch phase {
        case .off, .on: break
        // The next run begins with the last command.
        case .closing(let closing):
            phase = .on
            for request in closing.requests { context.refuse(request, .stopping) }
        case .opening(let requests): becomeOff(requests)
        }
    }

    // MARK: State

    override var state: PrivacyState? {
        PrivacyState(
            published?.isOn == true ? .on : .off, client: published?.client, proved: published?.isProved,
            since: published?.since)
    }

    override var origin: Origin? { publishedOrigin }
}

extension Control {
    /// Whether it is the camera's own privacy control, and the agent can set it.
    fileprivate var isSettablePrivacy: Bool { isPrivacy && !isReadOnly && kind == .toggle }
}
