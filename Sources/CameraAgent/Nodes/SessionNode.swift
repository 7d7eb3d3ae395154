internal import Cameras
internal import Logging
internal import LoopThread
internal import Messages
internal import ZoomModel

/// `session`: how frames come, and beside it controls and zoom: all of it or nothing.
final class SessionNode {
    /// A change under way, and what was before.
    private struct Change {
        let command: SessionSet
        let asker: Asker
        let before: Before
        /// Who waited last for the zoom by then; whoever does later is newer.
        let lastTicket: Ticket
        var isClamped = false

        /// What is gone back to when something is refused.
        struct Before {
            let session: SavedSession?
            let quality: String
            let origin: Origin
            let mode: CameraMode
            /// The controls that are changed: their values, and those of them that somebody had set by then.
            let values: [String: ControlValue]
            let setControls: [String: ControlValue]
        }
    }

    private unowned let camera: Camera
    /// What somebody asked for, also of a camera that can't do it; nil: it is as it is configured.
    private(set) var saved: SavedSession?
    /// The name of what the camera does.
    private var quality = Quality.high.name
    /// The driver is changing the mode.
    private var isSettingMode = false
    private var origin = Origin(kind: .restore)
    private var change: Change?

    init(_ camera: Camera, saved: SavedSession?) {
        (self.camera, self.saved) = (camera, saved)
    }

    private var agent: Agent { camera.agent }

    /// How frames come, by the name of what was asked for.
    private var fields: SessionFields {
        let mode = camera.backend.mode
        return SessionFields(
            quality: quality, width: mode.width, height: mode.height,
            rate: mode.rate, pixelFormat: mode.pixelFormat)
    }

    /// Whether a change is under way, of whoever's.
    var isChanging: Bool { change != nil || isSettingMode }

    // MARK: A command

    func handle(_ command: SessionSet, _ asker: Asker) {
        if isChanging {
            return agent.refuse(CommandError(.busy, "Another change of the session is under way."), asker)
        }
        let names = command.controls?.values.keys.map { $0 } ?? []
        change = Change(
            command: command, asker: asker,
            before: .init(
                session: saved, quality: quality, origin: origin, mode: camera.backend.mode,
                values: camera.saidValues.filter { names.contains($0.key) },
                setControls: camera.setControls.filter { names.contains($0.key) }),
            lastTicket: camera.lastTicket)
        setMode(command.qualities, command.rate, origin: asker.origin(.command)) { [weak self] result in
            guard let self, change != nil else { return }
            switch result {
            case .failure(let error): end(error)
            case .success(let isClamped):
                change?.isClamped = isClamped
                setControls()
            }
        }
    }

    private func setControls() {
        guard let change else { return }
        guard let controls = change.command.controls else { return zoom() }
        camera.setControls(controls, origin: change.asker.origin(.command)) { [weak self] result in
            guard let self, self.change != nil else { return }
            switch result {
            case .success(let isClamped):
                self.change?.isClamped = change.isClamped || isClamped
                zoom()
            case .failure(let error): undo(error.inside("controls"), controlsToo: false)
            }
        }
    }

    private func zoom() {
        guard let change else { return }
        guard let goal = change.command.zoom else { return succeed() }
        if change.lastTicket != camera.lastTicket { return zoomEnded(ZoomAnswer(.superseded)) }
        camera.dropWaitingZooms()
        camera.isZoomOurs = true
        let ticket = camera.ticket(for: .session)
        camera.perform(
            camera.model.apply(
                goal.forModel, ticket: ticket, origin: change.asker.origin(.command), at: agent.loop.now))
        if camera.model.awaits(ticket) { camera.answer(.accepted, change.asker) }
    }

    /// The zoom of a session got to its end, one way or the other.
    func zoomEnded(_ answer: ZoomAnswer) {
        guard let change else { return }
        switch answer.status {
        case .done:
            self.change?.isClamped = change.isClamped || answer.clamped
            succeed()
        case .superseded:
            // Whoever moves the zoom by now is newer; the rest is done.
            conclude(change, .superseded)
        case .failed: undo(camera.lensError.forMessages.inside("zoom"), controlsToo: true)
        }
    }

    private func succeed() {
        guard let change else { return }
        conclude(change, .done)
    }

    private func conclude(_ change: Change, _ status: Reply.Status) {
        self.change = nil
        agent.saveSoon()
        if change.command.setsMode { publish() }
        var reply = change.asker.reply(status, boot: agent.boot)
        (reply.rev, reply.session) = (camera.rev, fields)
        if change.command.controls != nil { reply.values = camera.saidValues }
        if change.isClamped { reply.clamped = true }
        agent.answer(reply, change.asker)
        camera.applyWhatWaited()
    }

    // MARK: Back

    /// Takes back what was done before something was refused.
    private func undo(_ error: CommandError, controlsToo: Bool) {
        guard let change else { return }
        guard controlsToo, !change.before.values.isEmpty else { return undoMode(error) }
        camera.takeBack(change.before.values) { [weak self] in
            guard let self, self.change != nil else { return }
            for name in change.before.values.keys {
                camera.setControls[name] = change.before.setControls[name]
            }
            camera.publishControls(origin: Origin(kind: .restore))
            undoMode(error)
        }
    }

    private func undoMode(_ error: CommandError) {
        guard let before = change?.before else { return }
        let undone = CommandError(
            error.code, "\(error.message) All is as it was before.", field: error.field)
        if camera.backend.mode == before.mode && saved == before.session { return end(undone) }
        camera.backend.setMode(before.mode) { [weak self] result in
            guard let self, change != nil else { return }
            (saved, quality, origin) = (before.session, before.quality, before.origin)
            guard case .failure(let second) = result else {
                camera.modeChanged()
                return end(undone)
            }
            let words =
                "\(error.message) What was before can't be had any more: \(second.forMessages.message)"
            publish()
            end(CommandError(error.code, words, field: error.field))
        }
    }

    private func end(_ error: CommandError) {
        guard let asker = change?.asker else { return }
        change = nil
        agent.refuse(error, asker)
        camera.applyWhatWaited()
    }

    /// The camera is gone, and with it what was under way; what was asked for before is asked for again when it is back.
    func letGo(_ error: CommandError) {
        isSettingMode = false
        quality = Quality.high.name
        guard let change else { return }
        saved = change.before.session
        end(error)
    }

    // MARK: How frames come

    /// Has frames come in the first of these qualities that the camera can do. Calls back with whether the rate was out of range.
    func setMode(
        _ qualities: [String], _ rate: Double?, origin: Origin,
        then: @escaping (Result<Bool, CommandError>) -> Void
    ) {
        if qualities.isEmpty && rate == nil { return then(.success(false)) }
        guard !camera.recording.isActive else {
            return then(
                .failure(CommandError(.busy, "A recording is under way; how frames come can't change now.")))
        }
        let names = qualities.isEmpty ? [quality] : qualities
        // A rate that somebody asked for stays until somebody asks for another.
        let rate = rate ?? saved?.rate
        for name in names {
            guard let choice = choice(name, rate) else { continue }
            // Where only a rate was asked for, the quality that is wanted stays, also when this camera can't do it.
            let wanted = qualities.isEmpty ? saved?.quality ?? name : name
            return setMode(choice, name, SavedSession(quality: wanted, rate: rate), origin, then)
        }
        let known = camera.backend.description.qualities.joined(separator: ", ")
        let words = names.map { "\"\($0.beginning(64))\"" }.joined(separator: ", ")
        then(
            .failure(
                CommandError(
                    .unsupported, "quality: this camera can't do \(words); it can do \(known).",
                    field: "quality")))
    }

    private func choice(_ name: String, _ rate: Double?) -> ModeChoice? {
        Quality(name: name).flatMap { camera.backend.description.mode(for: $0, rate: rate) }
    }

    private func setMode(
        _ choice: ModeChoice, _ name: String, _ wanted: SavedSession, _ origin: Origin,
        _ then: @escaping (Result<Bool, CommandError>) -> Void
    ) {
        isSettingMode = true
        camera.backend.setMode(choice.mode) { [weak self] result in
            guard let self else { return }
            isSettingMode = false
            switch result {
            case .failure(let error): then(.failure(error.forMessages))
            case .success:
                (saved, quality, self.origin) = (wanted, name, origin)
                camera.modeChanged()
                // A change says it when all of it is done.
                if change == nil && camera.presence != .arriving { publish() }
                then(.success(choice.isClamped))
            }
            if !isChanging { camera.applyWhatWaited() }
        }
    }

    /// Takes up what was asked for before. A camera that can't do it (it may be another one) is as it is configured; it isn't forgotten.
    func restore(then: @escaping () -> Void) {
        guard let saved else { return then() }
        guard let choice = choice(saved.quality, saved.rate) else {
            agent.logger.warning("\(camera.id): the session isn't restored: it can't do \(saved.quality)")
            return then()
        }
        setMode(choice, saved.quality, saved, Origin(kind: .restore)) { [weak self] result in
            if case .failure(let error) = result, let self {
                agent.logger.warning("\(camera.id): the session isn't restored: \(error.message)")
            }
            then()
        }
    }

    func publish() {
        camera.publish(
            SessionState(
                fields, rev: camera.revisions.next(), boot: agent.boot, origin: origin.forMessages,
                ts: Timestamp.text()), as: .session)
    }
}

extension CommandError {
    /// The same about a field inside of another.
    func inside(_ outer: String) -> CommandError {
        CommandError(code, message, field: field.map { "\(outer).\($0)" } ?? outer)
    }
}

extension SessionSet {
    /// Whether it says how frames are to come.
    fileprivate var setsMode: Bool { !qualities.isEmpty || rate != nil }
}
