internal import Messages
internal import ZoomModel

/// `desired`: the state that a fleet manager wants, applied once for each version: the session first, then
/// the controls, all or none, then the zoom.
final class DesiredNode: CameraNode {
    /// A version that isn't applied yet.
    private struct Application {
        enum Stage {
            /// It is begun once the disk has shown that its outcome can be stored.
            case storing
            /// It is applied once a device is ready.
            case waitingForDevice
            /// It is applied once the mode may be changed.
            case waitingForMode
            case applying
        }

        let command: DesiredSet
        let request: Request
        /// Requests for the same version that came later, such as a retained command after a reconnect.
        var repetitions: [Request] = []
        var stage: Stage
        var version: Int { command.version }
        var requests: [Request] { [request] + repetitions }
    }

    /// Repetitions of a request that wait for its outcome; one more is refused.
    private static let maxRepetitions = 16
    /// How far a version may be above the last one: the highest number there is would end the count.
    private static let maxStep = 1_000

    private let context: CameraContext
    private let device: Device
    private let lease: LeaseNode
    private let session: SessionNode
    private let controls: ControlsNode
    private let zoom: ZoomNode
    /// The last version that was applied, and its outcome.
    private var last: SavedDesired?
    private var application: Application?

    init(
        _ context: CameraContext, device: Device, lease: LeaseNode, session: SessionNode,
        controls: ControlsNode, zoom: ZoomNode, saved: SavedCamera
    ) {
        (self.context, self.device, self.lease) = (context, device, lease)
        (self.session, self.controls, self.zoom) = (session, controls, zoom)
        last = saved.desired
    }

    func handle(_ body: Command.Body, _ request: Request) {
        guard case .desired(let command) = body else { return }
        let newest = application?.version ?? last?.version ?? 0
        if command.version == newest || command.version < newest && !command.resets {
            return answerKnown(command.version, newest: newest, request)
        }
        // The first version may be any: the state may have been lost.
        if newest > 0 && command.version - newest > Self.maxStep && !command.resets {
            return context.refuse(
                request,
                CommandError(
                    .badPayload,
                    "version: \(command.version) is more than \(Self.maxStep) above the last one, \(newest); send reset:true to begin a new count.",
                    field: "version"))
        }
        if let application { conclude(application.version, .superseded, nil) }
        application = Application(command: command, request: request, stage: .storing)
        context.saveState()
        publish()
        context.whenSaved { [self] error in
            guard application?.version == command.version, application?.stage == .storing else { return }
            // A version that isn't begun when the agent stops is refused then.
            if error == nil && context.isStopping { return }
            if let error { refuse(error) } else { begin(command, request) }
        }
    }

    private func begin(_ command: DesiredSet, _ request: Request) {
        guard device.absence == nil else {
            application?.stage = .waitingForDevice
            return context.reply(.accepted, to: request)
        }
        application?.stage = .applying
        apply(command, request)
    }

    /// Refuses the version under way: it counts as never sent.
    private func refuse(_ error: CommandError) {
        guard let requests = application?.requests else { return }
        application = nil
        context.saveState()
        publish()
        for request in requests { context.refuse(request, error) }
    }

    /// A broker delivers a retained command again at each reconnect: it is answered with the outcome of its
    /// version.
    private func answerKnown(_ version: Int, newest: Int, _ request: Request) {
        if version < newest {
            return context.refuse(
                request,
                CommandError(
                    .stale, "Version \(newest) was applied already; \(version) isn't above it.",
                    field: "version"))
        }
        if let application, application.version == version {
            guard application.repetitions.count < Self.maxRepetitions else {
                return context.refuse(
                    request,
                    CommandError(.busy, "\(Self.maxRepetitions) requests wait for version \(version)."))
            }
            self.application?.repetitions.append(request)
            return context.reply(.accepted, to: request)
        }
        context.reply(last?.outcome.status ?? .done, to: request) { $0.error = last?.error }
    }

    func observe(_ change: CameraChange) {
        switch change {
        case .deviceReady:
            switch application?.stage {
            case .waitingForDevice, .waitingForMode: applyWaiting()
            case .storing, .applying, nil: break
            }
        // A version that waits for the device isn't tried: a device that is gone is reported after its calls
        // have failed.
        case .modeReleased: if application?.stage == .waitingForMode { applyWaiting() }
        case .deviceDetached: publish()
        default: break
        }
    }

    private func applyWaiting() {
        guard let application, device.presence == .ready, !context.isStopping else { return }
        self.application?.stage = .applying
        apply(application.command, application.request)
    }

    /// Refuses a version with a zoom if another client has taken the lease since it was admitted. Returns
    /// whether it did.
    private func refuseIfHeld(_ command: DesiredSet, _ request: Request) -> Bool {
        guard command.zoom != nil, let error = lease.refusal(of: request.envelope.client) else {
            return false
        }
        conclude(command.version, .failed, error)
        return true
    }

    private func apply(_ command: DesiredSet, _ request: Request) {
        if refuseIfHeld(command, request) { return }
        guard let wanted = command.session else { return applyControls(command, request) }
        if device.modeUse == .recording || session.isChanging {
            application?.stage = .waitingForMode
            return context.reply(.accepted, to: request)
        }
        session.setMode(wanted.qualities, wanted.rate, origin: request.origin(.desired)) { [self] result in
            guard isApplying(command) else { return }
            switch result {
            case .success: applyControls(command, request)
            case .failure(let error): fail(command, error, in: "session")
            }
        }
    }

    private func applyControls(_ command: DesiredSet, _ request: Request) {
        guard let wanted = command.controls else { return applyZoom(command, request) }
        controls.set(wanted, for: request, as: .desired) { [self] result in
            guard isApplying(command) else { return }
            switch result {
            case .success: applyZoom(command, request)
            case .failure(let error): fail(command, error, in: "controls")
            }
        }
    }

    private func applyZoom(_ command: DesiredSet, _ request: Request) {
        guard let goal = command.zoom else { return conclude(command.version, .applied, nil) }
        // The session and the controls may have taken a while.
        if refuseIfHeld(command, request) { return }
        let isPending = zoom.move(goal.forModel, origin: request.origin(.desired)) { [self] outcome in
            guard isApplying(command) else { return }
            switch outcome {
            case .done: conclude(command.version, .applied, nil)
            case .superseded: conclude(command.version, .superseded, nil)
            case .failed(let error): fail(command, error, in: nil)
            }
        }
        if isPending { context.reply(.accepted, to: request) }
    }

    private func isApplying(_ command: DesiredSet) -> Bool {
        application?.version == command.version && application?.stage == .applying
    }

    private func fail(_ command: DesiredSet, _ error: CommandError, in part: String?) {
        // The device is gone or private: the version is applied when it is there again.
        if (error.code == .unavailable || error.code == .private) && error.field == nil {
            application?.stage = .waitingForDevice
            return
        }
        conclude(command.version, .failed, part.map { error.inside($0) } ?? error)
    }

    private func conclude(_ version: Int, _ outcome: DesiredState.Outcome, _ error: CommandError?) {
        guard let requests = application?.requests, application?.version == version else { return }
        application = nil
        zoom.savePresentZoom()
        last = SavedDesired(version: version, outcome: outcome, error: error)
        context.saveState()
        publish()
        for request in requests {
            if let error {
                context.refuse(request, error)
            } else {
                context.reply(outcome.status, to: request)
            }
        }
    }

    func failPending(_ cause: PendingFailure) {
        switch cause {
        case .deviceGone, .privacy:
            if application?.stage == .applying { application?.stage = .waitingForDevice }
        case .stopping: refuse(.stopping)
        }
    }

    func publish() {
        var state: DesiredState?
        if let application {
            state = DesiredState(
                version: application.version, outcome: .applying, error: nil, rev: context.rev,
                boot: context.boot, ts: context.timestamp)
        } else if let last {
            state = DesiredState(
                version: last.version, outcome: last.outcome, error: last.error, rev: context.rev,
                boot: context.boot, ts: context.timestamp)
        }
        context.publish(state, as: .desired)
    }

    func save(to state: inout SavedCamera) {
        (state.desired, state.applyingVersion) = (last, application?.version)
    }
}

extension DesiredState.Outcome {
    /// The status of the answer to the command.
    fileprivate var status: Reply.Status {
        switch self {
        case .applying: .accepted
        case .applied: .done
        case .superseded: .superseded
        case .failed: .error
        }
    }
}
