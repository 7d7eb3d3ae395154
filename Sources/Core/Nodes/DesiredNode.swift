internal import Base
internal import Contract
internal import Settings
internal import ZoomModel

/// `desired`: the states that fleet managers want, for this camera and for its groups. Each version is
/// applied once: the session first, then the controls, all or none, then the zoom.
///
/// The camera and each of its groups have their own count of versions. Versions of several counts are applied
/// in the order in which they came: the last one decides what several of them set.
final class DesiredNode: StateNode<Node.Desired>, CommandNode {
    /// A version that isn't applied yet.
    private final class Application {
        enum Stage {
            /// It is begun once the disk has shown that its outcome can be stored.
            case storing
            /// It is applied once a device is ready.
            case waitingForDevice
            /// It is applied once the session and the controls of those before it are set.
            case waitingForTurn
            /// It is applied once the mode may be changed.
            case waitingForMode
            case applying
            /// Only its zoom is under way.
            case zooming
            /// It has an outcome, or was refused.
            case ended
        }

        /// Whose count the version belongs to; nil: the camera's own.
        let group: String?
        let command: DesiredSet
        /// A digest of what is wanted.
        let contents: String
        let request: Request
        /// Requests for the same version that came later, such as a retained command after a reconnect.
        var repetitions: [Request] = []
        var stage = Stage.storing
        var version: Int { command.version }
        var requests: [Request] { [request] + repetitions }
        var isApplying: Bool { stage == .applying || stage == .zooming }

        init(_ command: DesiredSet, of group: String?, contents: String, _ request: Request) {
            (self.command, self.group, self.contents, self.request) = (command, group, contents, request)
        }
    }

    /// Repetitions of a request that wait for its outcome; one more is refused.
    private static let maxRepetitions = 16

    private let session: SessionNode
    /// The last version of each count that has an outcome, the newest outcome at the end.
    private var outcomes: [SavedDesired] {
        get { saved.outcomes }
        set { saved.outcomes = newValue }
    }
    /// At most one of each count, in the order in which they came.
    private var applications: [Application] = [] {
        didSet { saved.applyingVersion = applications.last?.version }
    }

    init(_ base: NodeBase, session: SessionNode) {
        self.session = session
        super.init(base)
        // A camera that joins a group again gets what the group wants then.
        let groups = context.settings.groups
        outcomes = outcomes.filter { $0.group.map(groups.contains) ?? true }
        saved.applyingVersion = nil
    }

    private func application(of group: String?) -> Application? {
        applications.first { $0.group == group }
    }

    private func outcome(of group: String?) -> SavedDesired? { outcomes.first { $0.group == group } }

    private func end(_ application: Application) {
        application.stage = .ended
        applications.removeAll { $0 === application }
    }

    // MARK: Commands

    func handle(_ command: DesiredSet, _ request: Request) throws(CommandError) {
        if let group = command.group { try check(group, request) }
        let group = request.group ?? command.group
        let newest = application(of: group)?.version ?? outcome(of: group)?.version ?? 0
        let contents = Self.digest(of: command)
        if command.version == newest || command.version < newest && !command.resets {
            return try answerKnown(command.version, contents, of: group, newest: newest, request)
        }
        // The first version may be any: the state may have been lost.
        if newest > 0 && command.version - newest > DesiredSet.maxStep && !command.resets {
            throw CommandError(
                .badPayload,
                "version: \(command.version) is more than \(DesiredSet.maxStep) above the last one, \(newest); \(CommandError.Advice.newCount.rawValue) to begin a new count.",
                field: "version")
        }
        if let earlier = application(of: group) { conclude(earlier, .superseded, nil) }
        let application = Application(command, of: group, contents: contents, request)
        applications.append(application)
        context.saveState()
        update()
        context.whenSaved { [self] error in
            guard application.stage == .storing else { return }
            // A version that isn't begun when the agent stops is refused then.
            if error == nil && context.isStopping { return }
            if let error { refuse(application, error) } else { begin(application) }
        }
    }

    /// Checks that the version can be one of the group that its payload names.
    private func check(_ group: String, _ request: Request) throws(CommandError) {
        if let topic = request.group, topic != group {
            throw CommandError(
                .badPayload, "group: the topic is that of the group \(topic).", field: "group")
        }
        guard context.settings.groups.contains(group) else {
            throw CommandError(
                .badPayload, "group: the camera does not belong to the group \(group).", field: "group")
        }
    }

    private func begin(_ application: Application) {
        application.stage = device.absence == nil ? .waitingForTurn : .waitingForDevice
        applyNext()
        switch application.stage {
        case .waitingForTurn, .waitingForDevice: context.reply(.accepted, to: application.request)
        case .storing, .waitingForMode, .applying, .zooming, .ended: break
        }
    }

    /// Refuses a version under way: it counts as never sent.
    private func refuse(_ application: Application, _ error: CommandError) {
        end(application)
        context.saveState()
        update()
        for request in application.requests { context.refuse(request, error) }
        applyNext()
    }

    /// 128 bits of a hash: it is kept in the state.
    private static func digest(of command: DesiredSet) -> String {
        Hexadecimal.text(of: SHA256.hash(of: command.contents).prefix(16))
    }

    /// A broker delivers a retained command again at each reconnect: it is answered with the outcome of its
    /// version. The same version with other contents is of another fleet manager, who has to be told.
    ///
    /// - Parameter contents: the digest of what is wanted.
    private func answerKnown(
        _ version: Int, _ contents: String, of group: String?, newest: Int, _ request: Request
    ) throws(CommandError) {
        if version < newest {
            throw CommandError(
                .stale, "Version \(newest) was applied already; \(version) isn't above it.", field: "version")
        }
        let (underWay, known) = (application(of: group), outcome(of: group))
        if let other = underWay?.contents ?? known?.contents, other != contents {
            throw CommandError(
                .stale, "Version \(version) is known with other contents; a change needs a higher version.",
                field: "version")
        }
        if let underWay {
            guard underWay.repetitions.count < Self.maxRepetitions else {
                throw CommandError(.busy, "\(Self.maxRepetitions) requests wait for version \(version).")
            }
            underWay.repetitions.append(request)
            return context.reply(.accepted, to: request)
        }
        context.reply(known?.outcome.status ?? .done, to: request) { $0.error = known?.error }
    }

    // MARK: Application

    override func observe(_ change: CameraChange) {
        switch change {
        case .deviceReady:
            for application in applications where application.stage == .waitingForDevice {
                application.stage = .waitingForTurn
            }
            if device.presence == .ready { applyNext() }
        // A version that waits for the device isn't tried: a device that is gone is reported after its calls
        // have failed.
        case .modeReleased: if device.presence == .ready { applyNext() }
        case .deviceDetached: update()
        default: break
        }
    }

    private var isModeBusy: Bool { device.modeUse == .recording || session.isChanging }

    /// Applies the versions whose turn it is: the first one, and the next when only the zoom of those before
    /// is under way.
    private func applyNext() {
        guard !context.isStopping else { return }
        for application in applications {
            switch application.stage {
            case .zooming, .ended: continue
            case .storing, .waitingForDevice, .applying: return
            case .waitingForMode: if isModeBusy { return }
            case .waitingForTurn: break
            }
            application.stage = .applying
            apply(application)
            if application.stage != .zooming && application.stage != .ended { return }
        }
    }

    /// Refuses a version with a zoom if another client has taken the lease since it was admitted. Returns
    /// whether it did.
    private func refuseIfHeld(_ application: Application) -> Bool {
        guard application.command.zoom != nil, let error = lease.refusal(of: application.request)
        else { return false }
        conclude(application, .failed, error)
        return true
    }

    private func apply(_ application: Application) {
        if refuseIfHeld(application) { return }
        guard let wanted = application.command.session else { return applyControls(application) }
        if isModeBusy {
            application.stage = .waitingForMode
            return context.reply(.accepted, to: application.request)
        }
        let origin = application.request.origin(.desired)
        session.setMode(wanted.qualities, wanted.rate, origin: origin) { [self] result in
            guard application.isApplying else { return }
            switch result {
            case .success: applyControls(application)
            case .failure(let error): fail(application, error, in: "session")
            }
        }
    }

    private func applyControls(_ application: Application) {
        guard let wanted = application.command.controls else { return applyZoom(application) }
        controls.set(wanted, for: application.request, as: .desired) { [self] result in
            guard application.isApplying else { return }
            switch result {
            case .success: applyZoom(application)
            case .failure(let error): fail(application, error, in: "controls")
            }
        }
    }

    private func applyZoom(_ application: Application) {
        guard let goal = application.command.zoom else { return conclude(application, .applied, nil) }
        // The session and the controls may have taken a while.
        if refuseIfHeld(application) { return }
        let isPending = zoom.move(.go(goal), origin: application.request.origin(.desired)) {
            [self] outcome in
            guard application.isApplying else { return }
            switch outcome {
            case .done: conclude(application, .applied, nil)
            case .superseded: conclude(application, .superseded, nil)
            case .failed(let error): fail(application, error, in: nil)
            }
        }
        guard isPending else { return }
        context.reply(.accepted, to: application.request)
        application.stage = .zooming
        applyNext()
    }

    private func fail(_ application: Application, _ error: CommandError, in part: String?) {
        // The device is gone or private: the version is applied when it is there again.
        if (error.code == .unavailable || error.code == .private) && error.field == nil {
            return application.stage = .waitingForDevice
        }
        conclude(application, .failed, part.map { error.inside($0) } ?? error)
    }

    private func conclude(
        _ application: Application, _ outcome: DesiredState.Outcome, _ error: CommandError?
    ) {
        end(application)
        zoom.savePresentZoom()
        outcomes.removeAll { $0.group == application.group }
        outcomes.append(
            SavedDesired(
                group: application.group, version: application.version, outcome: outcome, error: error,
                contents: application.contents))
        context.saveState()
        update()
        for request in application.requests {
            if let error {
                context.refuse(request, error)
            } else {
                context.reply(outcome.status, to: request)
            }
        }
        applyNext()
    }

    override func failPending(_ cause: PendingFailure) {
        switch cause {
        case .deviceGone, .privacy:
            for application in applications where application.isApplying {
                application.stage = .waitingForDevice
            }
        case .stopping: for application in applications { refuse(application, .stopping) }
        }
    }

    // MARK: State

    override var state: DesiredState? {
        let underWay = applications.map {
            DesiredState.Known(group: $0.group, version: $0.version, outcome: .applying)
        }
        let concluded = outcomes.filter { application(of: $0.group) == nil }.map {
            DesiredState.Known(group: $0.group, version: $0.version, outcome: $0.outcome, error: $0.error)
        }
        return (underWay.last ?? concluded.last).map { newest in
            let others = (underWay + concluded).filter { $0.group != newest.group }
            return DesiredState(newest, others: others.sorted { ($0.group ?? "") < ($1.group ?? "") })
        }
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
