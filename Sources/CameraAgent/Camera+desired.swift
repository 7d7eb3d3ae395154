internal import Cameras
internal import LoopThread
internal import Messages
internal import ZoomModel

/// What a fleet manager wants, applied once for each version: the controls first, all or none, then the zoom.
extension Camera {
    func handle(_ command: DesiredSet, _ asker: Asker) {
        let last = max(desired?.version ?? 0, applying?.version ?? 0)
        if command.version <= last { return answerKnown(command.version, last: last, asker) }
        if let applying { conclude(applying.version, .superseded, nil) }
        applying = (command.version, asker)
        applyingCommand = command
        publishDesired()
        guard presence.problem == nil else {
            // It is applied as soon as the camera is there.
            waitingDesired = command
            var reply = asker.reply(.accepted, boot: agent.boot)
            reply.rev = rev
            return agent.answer(reply, asker)
        }
        apply(command, asker)
    }

    /// Applies what was desired while the camera was away.
    func applyWhatWaited() {
        guard let command = waitingDesired, let applying, applying.version == command.version else { return }
        waitingDesired = nil
        apply(command, applying.asker)
    }

    private func apply(_ command: DesiredSet, _ asker: Asker) {
        guard let controls = command.controls else { return zoomAsDesired(command, asker) }
        setControls(controls, origin: Origin(kind: .desired)) { [weak self] result in
            guard let self, applying?.version == command.version else { return }
            switch result {
            case .success: zoomAsDesired(command, asker)
            // It is applied when the camera is there again.
            case .failure(let error) where error.code == .unavailable && error.field == nil: return
            case .failure(let error):
                let field = error.field.map { "controls.\($0)" }
                conclude(command.version, .failed, CommandError(error.code, error.message, field: field))
            }
        }
    }

    /// A broker says a retained command again at each reconnect: that is no mistake of anybody's.
    private func answerKnown(_ version: Int, last: Int, _ asker: Asker) {
        if version < last {
            return agent.refuse(
                CommandError(
                    .stale, "Version \(last) was applied already; \(version) isn't above it.",
                    field: "version"),
                asker)
        }
        var reply = asker.reply(applying?.version == version ? .accepted : .done, boot: agent.boot)
        reply.rev = rev
        agent.answer(reply, asker)
    }

    private func zoomAsDesired(_ command: DesiredSet, _ asker: Asker) {
        guard let goal = command.zoom else { return conclude(command.version, .applied, nil) }
        let ticket = ticket(for: .desired(version: command.version))
        let origin = Origin(client: asker.envelope.client, id: asker.envelope.id, kind: .desired)
        perform(model.apply(goal.forModel, ticket: ticket, origin: origin, at: agent.loop.now))
        guard model.awaits(ticket) else { return }
        var reply = asker.reply(.accepted, boot: agent.boot)
        reply.rev = rev
        agent.answer(reply, asker)
    }

    /// The zoom of a desired version got to its end, one way or the other.
    func desiredZoomEnded(_ version: Int, _ answer: ZoomAnswer) {
        switch answer.status {
        case .failed where lensError == .unplugged: return
        case .done: conclude(version, .applied, nil)
        case .superseded: conclude(version, .superseded, nil)
        case .failed: conclude(version, .failed, lensError.forMessages)
        }
    }

    private func conclude(_ version: Int, _ outcome: DesiredState.Outcome, _ error: CommandError?) {
        guard let (current, asker) = applying, current == version else { return }
        applying = nil
        applyingCommand = nil
        isZoomOurs = true
        desired = SavedDesired(version: version, outcome: outcome, error: error)
        agent.saveSoon()
        publishDesired()
        if let error { return agent.refuse(error, asker) }
        var reply = asker.reply(outcome == .superseded ? .superseded : .done, boot: agent.boot)
        reply.rev = rev
        agent.answer(reply, asker)
    }

    func publishDesired() {
        var state: DesiredState?
        if let applying {
            state = DesiredState(
                version: applying.version, outcome: .applying, error: nil, rev: rev, boot: agent.boot,
                ts: Timestamp.text())
        } else if let desired {
            state = DesiredState(
                version: desired.version, outcome: desired.outcome, error: desired.error, rev: rev,
                boot: agent.boot,
                ts: Timestamp.text())
        }
        publish(state, as: .desired)
    }
}
