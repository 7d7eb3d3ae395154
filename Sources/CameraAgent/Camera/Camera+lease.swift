internal import FoundationEssentials
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import ZoomModel

extension Camera {
    func handle(_ command: LeaseSet, _ asker: Asker) {
        let now = agent.loop.now
        do throws(Lease.Refusal) {
            switch command {
            case .take(let milliseconds, let force):
                guard let client = asker.envelope.client else {
                    return agent.refuse(
                        CommandError(
                            .badPayload, "client: it is needed: who takes the lease.", field: "client"), asker
                    )
                }
                let from = try lease.take(
                    for: client, lasting: .milliseconds(milliseconds), force: force, at: now)
                if let from { tellTakeOver(by: client, from: from, asker) }
            case .release: try lease.release(by: asker.envelope.client, at: now)
            }
        } catch {
            return agent.refuse(Self.held(error), asker)
        }
        publishLease()
        answer(.done, asker)
    }

    /// Why a client may not move the zoom at the moment; nil: it may.
    func leaseProblem(for body: Command.Body, client: String?) -> CommandError? {
        guard body.movesZoom, let holder = lease.holder(at: agent.loop.now), holder != client else {
            return nil
        }
        return Self.held(.heldBy(holder))
    }

    private static func held(_ refusal: Lease.Refusal) -> CommandError {
        switch refusal {
        case .heldBy(let holder):
            CommandError(
                .held, "\(holder) holds the lease on the zoom; wait for its end, or take it with force:true.")
        }
    }

    private func tellTakeOver(by client: String, from holder: String, _ asker: Asker) {
        announce(.takeOver, by: client, asker.envelope.id) { $0.holder = holder }
    }

    /// Says who holds the lease, and sees to it that its end is said too.
    func publishLease() {
        let now = agent.loop.now
        var state: LeaseState?
        if let holder = lease.holder(at: now), let end = lease.end {
            let until = Timestamp.now.addingTimeInterval(now.duration(to: end) / .seconds(1))
            state = LeaseState(
                client: holder, until: Timestamp.text(until), rev: rev, boot: agent.boot, ts: Timestamp.text()
            )
        }
        leaseTimer.set(at: lease.end)
        publish(state, as: .lease)
    }

    func leaseTimerFired() {
        if lease.expire(at: agent.loop.now) { publishLease() } else { leaseTimer.set(at: lease.end) }
    }
}

extension Command.Body {
    /// Whether a lease on the zoom concerns it.
    var movesZoom: Bool {
        switch self {
        case .zoom, .pinch, .touch, .viewport: true
        case .capture(let command): command.zoom != nil
        case .desired(let command): command.zoom != nil
        case .session(let command): command.zoom != nil
        case .presets(let command): command.isMove
        case .controls, .lease, .press, .recording, .preview: false
        }
    }
}
