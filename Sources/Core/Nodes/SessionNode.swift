internal import Cameras
internal import Contract
internal import Logging
internal import ZoomModel

/// `session`: the mode of the frames. A command may set controls and zoom with it: all of them, or none.
final class SessionNode: StateNode<Node.Session>, CommandNode {
    /// The name of the quality that the device delivers.
    private var quality = Quality.high.name
    private var source = Origin(kind: .restore)
    /// The command that is being carried out.
    private var change: SessionChange?

    /// Whether a command is being carried out, or the mode is being changed.
    var isChanging: Bool { change != nil || device.modeUse == .changing }

    override var state: SessionState? {
        let mode = device.sessionMode
        return SessionState(
            quality: quality, width: mode.width, height: mode.height, rate: mode.rate,
            pixelFormat: mode.pixelFormat)
    }

    override var origin: Origin? { source }

    // MARK: A command

    func handle(_ command: SessionSet, _ request: Request) throws(CommandError) {
        if isChanging { throw CommandError(.busy, "Another change of the session is under way.") }
        var change = SessionChange(
            command: command, request: request, claim: device.claimMode(for: .changing),
            session: saved.session, quality: quality, origin: source, mode: device.sessionMode,
            controls: controls.snapshot(of: command.controls?.values.keys.map { $0 } ?? []),
            lastTicket: zoom.lastTicket)
        self.change = change
        setMode(command.qualities, command.rate, change.claim, origin: request.origin(.command)) {
            [self] result in
            guard request.isOpen else { return }
            switch result {
            case .failure(let error): fail(change, error)
            case .success(let isClamped):
                change.isClamped = isClamped
                setControls(change)
            }
        }
    }

    private func setControls(_ change: SessionChange) {
        guard let wanted = change.command.controls else { return moveZoom(change) }
        var change = change
        controls.set(wanted, for: change.request) { [self] result in
            guard change.request.isOpen else { return }
            switch result {
            case .failure(let error): undoMode(change, error.inside("controls"))
            case .success(let isClamped):
                if isClamped { change.isClamped = true }
                moveZoom(change)
            }
        }
    }

    private func moveZoom(_ change: SessionChange) {
        guard let goal = change.command.zoom else { return conclude(change, .done) }
        // A newer request has moved the zoom meanwhile, or may do so alone; the rest of the command is done.
        if change.lastTicket != zoom.lastTicket || lease.refusal(of: change.request) != nil {
            return conclude(change, .superseded)
        }
        context.post(.zoomCommanded)
        var change = change
        let isPending = zoom.move(.go(goal), origin: change.request.origin(.command)) { [self] outcome in
            guard change.request.isOpen else { return }
            switch outcome {
            case .done(let clamped):
                if clamped { change.isClamped = true }
                conclude(change, .done)
            case .superseded: conclude(change, .superseded)
            case .failed(let error):
                let undone = error.inside("zoom")
                controls.rollBack(to: change.controls) { [self] in undoMode(change, undone) }
            }
        }
        if isPending { context.reply(.accepted, to: change.request) }
    }

    private func conclude(_ change: SessionChange, _ status: Reply.Status) {
        self.change = nil
        context.saveState()
        if change.command.setsMode { update(repeats: change.isClamped) }
        context.reply(status, to: change.request) { reply in
            reply.session = state
            if change.command.controls != nil { reply.values = controls.publishedValues }
            if change.isClamped { reply.clamped = true }
        }
        release(change)
    }

    /// Lets the mode be changed again, also by a version of `desired` that waits for the end of this command.
    private func release(_ change: SessionChange) {
        if let claim = change.claim { device.release(claim) } else { context.post(.modeReleased) }
    }

    // MARK: The end of a command that fails

    private func undoMode(_ before: SessionChange, _ error: CommandError) {
        guard before.request.isOpen else { return }
        let undone = error.followed(by: "Nothing was changed.")
        if device.sessionMode == before.mode && saved.session == before.session {
            return fail(before, undone)
        }
        device.setMode(before.mode) { [self] result in
            guard before.request.isOpen else { return }
            (saved.session, quality, source) = (before.session, before.quality, before.origin)
            context.saveState()
            guard case .failure(let second) = result else {
                context.post(.modeChanged)
                return fail(before, undone)
            }
            update()
            let reason = device.commandError(second).message
            fail(before, error.followed(by: "The mode before can't be restored: \(reason)"))
        }
    }

    private func fail(_ failed: SessionChange, _ error: CommandError) {
        change = nil
        context.refuse(failed.request, error)
        release(failed)
    }

    override func failPending(_ cause: PendingFailure) {
        guard let change else { return }
        // A command that failed isn't restored later.
        if saved.session != change.session {
            saved.session = change.session
            context.saveState()
        }
        fail(change, cause.error)
    }

    // MARK: Mode

    /// Sets the mode to the first of these qualities that the device can do, for a node without a claim on
    /// the mode.
    ///
    /// - Parameters: see the method below.
    func setMode(
        _ qualities: [String], _ rate: Double?, origin: Origin,
        then: @escaping (Result<Bool, CommandError>) -> Void
    ) {
        let claim = device.claimMode(for: .changing)
        setMode(qualities, rate, claim, origin: origin) { [device] result in
            if let claim { device.release(claim) }
            then(result)
        }
    }

    /// Sets the mode to the first of these qualities that the device can do.
    ///
    /// - Parameters:
    ///   - qualities: empty: the present one.
    ///   - rate: frames per second; nil: the rate of the last command that had one.
    ///   - claim: the caller's; nil: frames are recorded.
    ///   - then: called once, with whether the rate was out of range and was clamped.
    private func setMode(
        _ qualities: [String], _ rate: Double?, _ claim: ModeClaim?, origin: Origin,
        then: @escaping (Result<Bool, CommandError>) -> Void
    ) {
        if qualities.isEmpty && rate == nil { return then(.success(false)) }
        if claim == nil {
            return then(
                .failure(CommandError(.busy, "A recording is under way; the session can't be changed.")))
        }
        let names = qualities.isEmpty ? [quality] : qualities
        // A rate of an earlier command, which this one keeps, was clamped then.
        let hasRate = rate != nil
        let rate = rate ?? saved.session?.rate
        for name in names {
            guard let choice = choice(name, rate) else { continue }
            // If only a rate was requested, the saved quality stays, even if this device can't provide it.
            let wanted = qualities.isEmpty ? saved.session?.quality ?? name : name
            return setMode(choice, name, SavedSession(quality: wanted, rate: rate), origin) { result in
                then(result.map { isClamped in isClamped && hasRate })
            }
        }
        let known = device.backend.description.qualities.joined(separator: ", ")
        let words = names.map { "\"\($0.beginning(64))\"" }.joined(separator: ", ")
        then(
            .failure(
                CommandError(
                    .unsupported, "quality: this camera doesn't support \(words); it supports \(known).",
                    field: "quality")))
    }

    private func choice(_ name: String, _ rate: Double?) -> ModeChoice? {
        Quality(name: name).flatMap { device.backend.description.mode(for: $0, rate: rate) }
    }

    private func setMode(
        _ choice: ModeChoice, _ name: String, _ wanted: SavedSession, _ origin: Origin,
        _ then: @escaping (Result<Bool, CommandError>) -> Void
    ) {
        device.setMode(choice.mode) { [self] result in
            switch result {
            case .failure(let error): then(.failure(device.commandError(error)))
            case .success:
                (saved.session, quality, source) = (wanted, name, origin)
                context.post(.modeChanged)
                // A command publishes when all of it is done; a device that is being restored does with its
                // other states.
                if change == nil && device.presence != .arriving { update() }
                then(.success(choice.isClamped))
            }
        }
    }

    /// Applies the saved session, and calls back once. A device that can't do it stays as configured; the
    /// session stays saved.
    func restore(then: @escaping () -> Void) {
        guard let saved = saved.session else { return then() }
        guard let choice = choice(saved.quality, saved.rate) else {
            context.logger.warning(
                "\(context.id): the session isn't restored: the camera can't do \(saved.quality)")
            return then()
        }
        let claim = device.claimMode(for: .changing)
        setMode(choice, saved.quality, saved, Origin(kind: .restore)) { [context, device] result in
            if let claim { device.release(claim) }
            if case .failure(let error) = result {
                context.logger.warning("\(context.id): the session isn't restored: \(error.message)")
            }
            then()
        }
    }

    // MARK: State

    override func observe(_ change: CameraChange) {
        switch change {
        case .deviceDetached: quality = Quality.high.name
        case .sessionModeLost: update()
        default: break
        }
    }

    override func publish() { update(repeats: true) }

    override func update() { update(repeats: false) }

    /// Without a device there is no mode to publish.
    private func update(repeats: Bool) {
        if device.absence == nil { publication.update(state, from: origin, repeats: repeats) }
    }
}

/// A command of `session` under way, and the state to which it is undone when a part of it fails.
struct SessionChange {
    let command: SessionSet
    let request: Request
    /// On the mode; nil: frames are recorded, so the command can't change it.
    let claim: ModeClaim?
    let session: SavedSession?
    let quality: String
    let origin: Origin
    let mode: CameraMode
    let controls: ControlsNode.Snapshot
    /// The last request to the zoom before the command.
    let lastTicket: Int
    var isClamped = false
}

extension SessionSet {
    /// Whether the command requests another mode.
    fileprivate var setsMode: Bool { !qualities.isEmpty || rate != nil }
}
