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
        var isClamped = false

        /// What is gone back to when something is refused.
        struct Before {
            let session: SavedSession?
            let mode: CameraMode
            /// The values of those controls that are changed.
            let values: [String: ControlValue]
            /// The controls that somebody had set by then.
            let setControls: [String: ControlValue]
        }
    }

    private unowned let camera: Camera
    /// What somebody asked for; nil: it is as it is configured.
    private(set) var saved: SavedSession?
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
            quality: saved?.quality ?? Quality.high.name, width: mode.width, height: mode.height,
            rate: mode.rate, pixelFormat: mode.pixelFormat)
    }

    // MARK: A command

    func handle(_ command: SessionSet, _ asker: Asker) {
        if change != nil {
            return agent.refuse(CommandError(.busy, "Another change of the session is under way."), asker)
        }
        let names = command.controls?.values.keys.map { $0 } ?? []
        change = Change(
            command: command, asker: asker,
            before: .init(
                session: saved, mode: camera.backend.mode,
                values: camera.saidValues.filter { names.contains($0.key) }, setControls: camera.setControls))
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
            self.change = nil
            publish()
            camera.answer(.superseded, change.asker)
        case .failed: undo(camera.lensError.forMessages.inside("zoom"), controlsToo: true)
        }
    }

    private func succeed() {
        guard let change else { return }
        self.change = nil
        agent.saveSoon()
        publish()
        var reply = change.asker.reply(.done, boot: agent.boot)
        (reply.rev, reply.session) = (camera.rev, fields)
        if change.command.controls != nil { reply.values = camera.saidValues }
        if change.isClamped { reply.clamped = true }
        agent.answer(reply, change.asker)
    }

    // MARK: Back

    /// Takes back what was done before something was refused.
    private func undo(_ error: CommandError, controlsToo: Bool) {
        guard let change else { return }
        guard controlsToo, !change.before.values.isEmpty else { return undoMode(error) }
        camera.takeBack(change.before.values) { [weak self] in
            guard let self, self.change != nil else { return }
            camera.setControls = change.before.setControls
            camera.publishControls(origin: Origin(kind: .restore))
            undoMode(error)
        }
    }

    private func undoMode(_ error: CommandError) {
        guard let before = change?.before else { return }
        if camera.backend.mode == before.mode && saved == before.session { return end(error) }
        camera.backend.setMode(before.mode) { [weak self] result in
            guard let self, change != nil else { return }
            saved = before.session
            guard case .failure(let second) = result else {
                camera.modeChanged()
                return end(error)
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
    }

    /// The camera is gone, and with it what was under way; what was asked for before is asked for again when it is back.
    func letGo(_ error: CommandError) {
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
        let names = qualities.isEmpty ? [fields.quality] : qualities
        // A rate that somebody asked for stays until somebody asks for another.
        let rate = rate ?? saved?.rate
        for name in names {
            guard let quality = Quality(name: name),
                let choice = camera.backend.description.mode(for: quality, rate: rate)
            else { continue }
            return setMode(choice, SavedSession(quality: name, rate: rate), origin, then)
        }
        let known = camera.backend.description.qualities.joined(separator: ", ")
        let words = names.map { "\"\($0.beginning(64))\"" }.joined(separator: ", ")
        then(
            .failure(
                CommandError(
                    .unsupported, "quality: this camera can't do \(words); it can do \(known).",
                    field: "quality")))
    }

    private func setMode(
        _ choice: ModeChoice, _ wanted: SavedSession, _ origin: Origin,
        _ then: @escaping (Result<Bool, CommandError>) -> Void
    ) {
        camera.backend.setMode(choice.mode) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): then(.failure(error.forMessages))
            case .success:
                (saved, self.origin) = (wanted, origin)
                camera.modeChanged()
                then(.success(choice.isClamped))
            }
        }
    }

    /// Takes up what an earlier run was asked for.
    func restore(then: @escaping () -> Void) {
        guard let saved else { return then() }
        setMode([saved.quality], saved.rate, origin: Origin(kind: .restore)) { [weak self] result in
            if case .failure(let error) = result, let self {
                agent.logger.warning("\(camera.id): the session isn't restored: \(error.message)")
                self.saved = nil
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
