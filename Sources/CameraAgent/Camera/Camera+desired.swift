internal import Cameras
internal import LoopThread
internal import Messages
internal import ZoomModel

/// A version of what is desired that isn't applied yet.
struct Applying {
    let command: DesiredSet
    let asker: Asker
    /// The camera is away: it is applied as soon as that is there.
    var waits: Bool

    var version: Int { command.version }
}

/// What a fleet manager wants, applied once for each version: how frames come first, then the controls, all or none, then the zoom.
extension Camera {
    func handle(_ command: DesiredSet, _ asker: Asker) {
        let last = max(desired?.version ?? 0, applying?.version ?? 0)
        if command.version <= last { return answerKnown(command.version, last: last, asker) }
        if let applying { conclude(applying.version, .superseded, nil) }
        let waits = presence.problem != nil
        applying = Applying(command: command, asker: asker, waits: waits)
        publishDesired()
        if waits { answer(.accepted, asker) } else { apply(command, asker) }
    }

    /// Applies what was desired while the camera was away.
    func applyWhatWaited() {
        guard let applying, applying.waits, presence.problem == nil, !agent.isStopping else { return }
        self.applying?.waits = false
        apply(applying.command, applying.asker)
    }

    private func apply(_ command: DesiredSet, _ asker: Asker) {
        guard let session = command.session else { return controlsAsDesired(command, asker) }
        if recording.isActive || self.session.isChanging {
            // Applied when that is over.
            applying?.waits = true
            return answer(.accepted, asker)
        }
        self.session.setMode(session.qualities, session.rate, origin: Origin(kind: .desired)) {
            [weak self] result in
            guard let self, applying?.version == command.version else { return }
            switch result {
            case .success: controlsAsDesired(command, asker)
            case .failure(let error): refuseDesired(command, error, inside: "session")
            }
        }
    }

    private func controlsAsDesired(_ command: DesiredSet, _ asker: Asker) {
        guard let controls = command.controls else { return zoomAsDesired(command, asker) }
        setControls(controls, origin: Origin(kind: .desired)) { [weak self] result in
            guard let self, applying?.version == command.version else { return }
            switch result {
            case .success: zoomAsDesired(command, asker)
            case .failure(let error): refuseDesired(command, error, inside: "controls")
            }
        }
    }

    private func refuseDesired(_ command: DesiredSet, _ error: CommandError, inside part: String) {
        // It is applied when the camera is there again.
        if error.code == .unavailable && error.field == nil { return }
        conclude(command.version, .failed, error.inside(part))
    }

    /// A broker says a retained command again at each reconnect: that is no mistake of anybody's. What came of it is what is answered.
    private func answerKnown(_ version: Int, last: Int, _ asker: Asker) {
        if version < last {
            return agent.refuse(
                CommandError(
                    .stale, "Version \(last) was applied already; \(version) isn't above it.",
                    field: "version"),
                asker)
        }
        if applying?.version == version { return answer(.accepted, asker) }
        var reply = asker.reply(desired?.outcome.status ?? .done, boot: agent.boot)
        (reply.rev, reply.error) = (rev, desired?.error)
        agent.answer(reply, asker)
    }

    private func zoomAsDesired(_ command: DesiredSet, _ asker: Asker) {
        guard let goal = command.zoom else { return conclude(command.version, .applied, nil) }
        let ticket = ticket(for: .desired(version: command.version))
        let origin = Origin(client: asker.envelope.client, id: asker.envelope.id, kind: .desired)
        perform(model.apply(goal.forModel, ticket: ticket, origin: origin, at: agent.loop.now))
        if model.awaits(ticket) { answer(.accepted, asker) }
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
        guard let asker = applying?.asker, applying?.version == version else { return }
        applying = nil
        isZoomOurs = true
        desired = SavedDesired(version: version, outcome: outcome, error: error)
        agent.saveSoon()
        publishDesired()
        if let error { return agent.refuse(error, asker) }
        answer(outcome.status, asker)
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

extension DesiredState.Outcome {
    /// What its sender is told, also who sends the same version again.
    fileprivate var status: Reply.Status {
        switch self {
        case .applying: .accepted
        case .applied: .done
        case .superseded: .superseded
        case .failed: .error
        }
    }
}
