internal import Cameras
internal import LoopThread
internal import Messages
internal import ZoomModel

/// Who waits for the zoom to get somewhere.
enum Waiter {
    case asker(Asker)
    /// The photo at the head of the queue.
    case capture(number: Int)
    /// A version of what is desired.
    case desired(version: Int)
    /// The session that is being changed.
    case session
}

extension Camera {
    func handle(_ command: ZoomSet, _ asker: Asker) {
        move(command.forModel, asker)
    }

    /// Moves the zoom for somebody who is answered when it is there.
    func move(_ command: ZoomCommand, _ asker: Asker) {
        dropWaitingZooms()
        let ticket = ticket(for: .asker(asker))
        perform(model.apply(command, ticket: ticket, origin: asker.origin(.command), at: agent.loop.now))
        answerIfAccepted(ticket, asker)
    }

    func handle(_ command: PinchSet, _ sender: Asker) {
        var asker = sender
        asker.isQuiet = command.phase == .changed && asker.envelope.id == nil
        let ticket = ticket(for: .asker(asker))
        perform(
            model.apply(command.forModel, ticket: ticket, origin: asker.origin(.gesture), at: agent.loop.now))
        answerIfAccepted(ticket, asker)
    }

    func handle(_ command: TouchSet, _ sender: Asker) {
        var asker = sender
        asker.isQuiet = asker.envelope.id == nil && command.touches.allSatisfy { $0.phase == .moved }
        let ticket = ticket(for: .asker(asker))
        perform(
            model.apply(command.forModel, ticket: ticket, origin: asker.origin(.gesture), at: agent.loop.now))
        answerIfAccepted(ticket, asker)
    }

    func handle(_ command: ViewportSet, _ asker: Asker) {
        let ticket = ticket(for: .asker(asker))
        perform(
            model.apply(command.forModel, ticket: ticket, origin: asker.origin(.command), at: agent.loop.now))
    }

    /// A new number for who waits.
    func ticket(for waiter: Waiter) -> Ticket {
        lastTicket += 1
        waiting[lastTicket] = waiter
        return lastTicket
    }

    /// What couldn't be done at once is under way.
    private func answerIfAccepted(_ ticket: Ticket, _ asker: Asker) {
        if model.awaits(ticket) && !asker.isQuiet {
            answer(.accepted, asker, clamped: model.awaitedIsClamped)
        }
    }

    func lensReported(_ report: Cameras.LensReport) {
        switch report {
        case .written(let optical, let moving):
            perform(model.lensReported(.written(optical: optical, moving: moving), at: agent.loop.now))
        case .moved(let optical, let moving): lensMoved(to: optical, isMoving: moving)
        case .taken(let optical): lensTaken(to: optical)
        case .stopped(let optical):
            perform(model.lensReported(.stopped(optical: optical), at: agent.loop.now))
        case .failed(let error):
            lensError = error
            if presence == .restoring { isZoomOurs = false }
            perform(model.lensFailed(at: agent.loop.now))
        }
    }

    /// On its way, or by somebody else's hand.
    private func lensMoved(to optical: Double, isMoving: Bool) {
        let isOthers = model.isSettled && optical != model.snapshot.optical
        let before = model.snapshot.target
        perform(model.lensReported(.moved(optical: optical, moving: isMoving), at: agent.loop.now))
        guard isOthers, presence == .ready else { return }
        isZoomOurs = true
        guard settings.reasserts else { return }
        lastTicket += 1
        perform(
            model.apply(
                .go(to: .factor(before), rate: nil, anchor: nil), ticket: lastTicket,
                origin: Origin(kind: .restore), at: agent.loop.now))
    }

    /// Somebody has turned the lens.
    private func lensTaken(to optical: Double) {
        guard !model.isSettled else { return lensMoved(to: optical, isMoving: false) }
        // What is to be undone is undone by the ramp itself.
        if !settings.reasserts { perform(model.lensTaken(to: optical, at: agent.loop.now)) }
    }

    /// Does what the model wants. A backend that answers at once comes back in here while it is at it; what follows from
    /// that is done after what was wanted before.
    func perform(_ wanted: [ZoomAction]) {
        actions += wanted
        if isPerforming { return }
        isPerforming = true
        var next = 0
        while next < actions.count {
            perform(actions[next])
            next += 1
        }
        actions.removeAll(keepingCapacity: true)
        isPerforming = false
        afterEvent()
    }

    private func perform(_ action: ZoomAction) {
        switch action {
        case .driveLens(let factor): backend.driveLens(to: factor)
        case .stopLens: backend.stopLens()
        case .publishState: publishZoom()
        case .publishLive: publishSample()
        case .publishGesture: publishGesture()
        case .answer(let ticket, let answer): settle(ticket, answer)
        }
    }

    private func settle(_ ticket: Ticket, _ answer: ZoomAnswer) {
        guard let waiter = waiting.removeValue(forKey: ticket) else { return }
        switch waiter {
        case .capture(let number): captureZoomEnded(number, answer)
        case .desired(let version): desiredZoomEnded(version, answer)
        case .session: session.zoomEnded(answer)
        case .asker(let asker):
            switch answer.status {
            case .done where asker.isQuiet, .superseded where asker.isQuiet: return
            case .done: self.answer(.done, asker, clamped: answer.clamped)
            case .superseded: self.answer(.superseded, asker, clamped: answer.clamped)
            case .failed: agent.refuse(lensError.forMessages, asker)
            }
        }
    }

    private func answer(_ status: Reply.Status, _ asker: Asker, clamped: Bool) {
        var reply = asker.reply(status, boot: agent.boot)
        reply.rev = rev
        if clamped { reply.clamped = true }
        reply.factor = model.factor.forMessages
        reply.target = model.target.forMessages
        agent.answer(reply, asker)
    }
}

extension Asker {
    func origin(_ kind: Origin.Kind) -> Origin {
        Origin(client: envelope.client, id: envelope.id, kind: kind)
    }
}

extension CameraError {
    var forMessages: CommandError {
        switch self {
        case .disabled(let control, let reason):
            CommandError(.unavailable, "\(control) can't be set at the moment: \(reason).", field: control)
        case .device(let words): CommandError(.device, "The camera refused: \(words)")
        case .unplugged: CommandError(.unavailable, "The camera was unplugged.")
        }
    }
}

// Messages and model don't know each other; here their values meet.

extension ZoomSet {
    var forModel: ZoomCommand {
        switch action {
        case .go(let goal): goal.forModel
        case .move(let velocity, let timeout): .move(velocity: velocity, timeout: .milliseconds(timeout))
        case .stop: .stop
        }
    }
}

extension ZoomGoal {
    var forModel: ZoomCommand {
        let to: ZoomCommand.Target =
            switch target {
            case .factor(let factor): .factor(factor)
            case .position(let position): .position(position)
            case .by(let multiple): .by(multiple)
            }
        return .go(to: to, rate: rate, anchor: anchor?.forModel)
    }
}

extension PinchSet {
    var forModel: PinchSample {
        let phase: PinchSample.Phase =
            switch self.phase {
            case .began: .began
            case .changed: .changed
            case .ended: .ended
            case .cancelled: .cancelled(revert: revert)
            }
        return PinchSample(
            gesture: gesture, phase: phase, scale: scale, sequence: sequence,
            mode: mode == .cumulative ? .cumulative : .incremental, anchor: anchor?.forModel)
    }
}

extension TouchSet {
    var forModel: TouchSample {
        TouchSample(
            gesture: gesture, sequence: sequence,
            touches: touches.map { Touch(finger: $0.id, place: $0.place.forModel, phase: $0.phase.forModel) })
    }
}

extension TouchSet.Phase {
    var forModel: Touch.Phase {
        switch self {
        case .began: .began
        case .moved: .moved
        case .ended: .ended
        case .cancelled: .cancelled
        }
    }
}

extension ViewportSet {
    var forModel: ZoomCommand {
        switch self {
        case .center(let place): .look(.at(place.forModel))
        case .by(let x, let y): .look(.by(x: x, y: y))
        }
    }
}

extension Anchor {
    var forModel: Point { Point(x: x, y: y) }
}
