internal import Base
internal import Cameras
internal import Contract
internal import Settings
internal import ZoomModel

/// The end of a request to move the zoom, with its reason.
enum ZoomOutcome {
    /// The zoom is there.
    case done(clamped: Bool)
    /// A newer request replaced it.
    case superseded(clamped: Bool)
    case failed(CommandError)
}

/// `zoom`, also for `pinch`, `touch` and `viewport`: the only holder of the zoom model. What it
/// publishes was read back from the lens.
final class ZoomNode: CameraNode, CommandNode {
    typealias Contract = Node.Zoom

    /// Which zoom the saved state contains.
    private enum SavedZoomSource {
        case earlierRun
        /// The zoom of the run before is being restored: it is the present one when the device is ready.
        case earlierRunUntilReady
        case present
    }

    /// Gets the outcome of a request to the zoom.
    private enum Waiter {
        case request(Request)
        case callback(ClientIdentity?, (ZoomOutcome) -> Void)

        var client: ClientIdentity? {
            switch self {
            case .request(let request): request.client
            case .callback(let client, _): client
            }
        }
    }

    private(set) var model: ZoomModel
    private var waiting = WaitingList<Waiter>()
    /// The number of the newest request to the zoom. If it differs from an earlier value, there was a newer
    /// request.
    var lastTicket: Ticket { waiting.lastNumber }
    /// What the model wants done. A backend may report while an action is carried out: its report adds
    /// further actions.
    private var actions: ArraySlice<ZoomAction> = []
    private var isPerforming = false
    /// Whether the zoom has been on its way since ``CameraChange/zoomSettled`` was posted.
    private var wasMoving = false
    /// Why the lens refused the last request.
    private var lensError = CameraError.device("no reason given")
    private var saving = SavedZoomSource.earlierRun
    /// The zoom in the saved state.
    private var savedZoom: (factor: Double, center: Point)
    /// When the model had a state last, whether or not it was another one than before.
    private(set) var lastPublished: ContinuousClock.Instant?
    private lazy var publication = Publication<ZoomState>(context, of: Contract.self)
    /// A value was clamped since the state was published: it is published again, so that controllers show
    /// what the zoom is.
    private var wasClamped = false
    private lazy var wakeTimer = context.timer { [weak self] in self?.advance() }

    override init(_ context: CameraContext, _ device: Device) {
        model = Self.model(context, device)
        let saved = context.saved[Contract.Saved.self]
        savedZoom = (saved.factor, Point(x: saved.centerX, y: saved.centerY))
        super.init(context, device)
    }

    private static func model(_ context: CameraContext, _ device: Device) -> ZoomModel {
        let description = device.backend.description
        return ZoomModel(
            .init(
                range: context.settings.zoom, opticalMax: description.opticalMax,
                gestureTimeout: context.agent.zoom.gestureTimeout, liveRate: context.agent.zoom.liveRate
            ),
            optical: description.optical)
    }

    /// The present time of the model.
    private var now: ZoomInstant { context.now.forModel }

    /// Whether the zoom is at the last requested target.
    var isSettled: Bool { model.isSettled }

    // MARK: Requests

    func take(_ sample: PinchSample, _ request: Request) {
        request.isQuiet = sample.phase == .changed && request.envelope.id == nil
        submit(request) { model.apply(sample, ticket: $0, origin: request.origin(.gesture), at: now) }
    }

    func take(_ sample: TouchSample, _ request: Request) {
        request.isQuiet = request.envelope.id == nil && sample.touches.allSatisfy { $0.phase == .moved }
        submit(request) { model.apply(sample, ticket: $0, origin: request.origin(.gesture), at: now) }
    }

    /// Moves the view within the frame.
    func moveView(_ move: ZoomCommand.ViewMove, _ request: Request) { apply(.moveView(move), request) }

    /// Moves the zoom for a request, which is answered when the zoom is there.
    func handle(_ command: ZoomCommand, _ request: Request) {
        context.post(.zoomCommanded)
        apply(command, request)
    }

    private func apply(_ command: ZoomCommand, _ request: Request) {
        submit(request) {
            model.apply(
                command, ticket: $0, origin: request.origin(.command), at: now, from: request.modelTime)
        }
    }

    /// Executes the model's actions for a request; a request that takes time is answered with `accepted`.
    private func submit(_ request: Request, _ wanted: (Ticket) -> [ZoomAction]) {
        let ticket = ticket(for: .request(request))
        perform(wanted(ticket), for: ticket)
        if !request.isQuiet && model.awaits(ticket) {
            answer(.accepted, request, clamped: model.awaitedIsClamped)
        }
    }

    /// Moves the zoom for another node, and calls back once, when the zoom is there or can't get there.
    ///
    /// - Returns: whether the callback is still to come.
    @discardableResult
    func move(_ command: ZoomCommand, origin: Origin, then: @escaping (ZoomOutcome) -> Void) -> Bool {
        saving = .present
        let ticket = ticket(for: .callback(origin.client, then))
        perform(model.apply(command, ticket: ticket, origin: origin, at: now), for: ticket)
        return waiting.contains(ticket)
    }

    private func ticket(for waiter: Waiter) -> Ticket {
        if saving == .earlierRunUntilReady { saving = .present }
        return waiting.add(waiter)
    }

    private func end(_ ticket: Ticket, _ outcome: ZoomOutcome) {
        switch waiting.take(ticket) {
        case nil: break
        case .callback(_, let then): then(outcome)
        case .request(let request):
            switch outcome {
            case .done(let clamped): answer(.done, request, clamped: clamped)
            case .superseded(let clamped): answer(.superseded, request, clamped: clamped)
            case .failed(let error): context.refuse(request, error)
            }
        }
    }

    private func answer(_ status: Reply.Status, _ request: Request, clamped: Bool) {
        context.reply(status, to: request) { reply in
            if clamped { reply.clamped = true }
            reply.factor = model.factor.forMessages
            reply.target = model.target.forMessages
        }
    }

    /// Ends a ramp where the zoom is: the agent stops and can't carry it on.
    func halt() {
        guard device.presence == .ready, !isSettled else { return }
        for ticket in waiting.numbers where model.awaits(ticket) { end(ticket, .failed(.stopping)) }
        perform(model.apply(.stop, ticket: waiting.nextNumber(), origin: model.snapshot.origin, at: now))
    }

    /// Ends where it is what others than the new holder of the lease have under way.
    private func leasePassed(_ origin: Origin) {
        perform(model.endGestures(except: origin.client, at: now))
        let isForeign = { [self] (ticket: Ticket) in
            model.awaits(ticket) && waiting.element(ticket)?.client != origin.client
        }
        guard !isSettled, waiting.numbers.contains(where: isForeign) else { return }
        perform(model.apply(.stop, ticket: waiting.nextNumber(), origin: origin, at: now))
    }

    override func failPending(_ cause: PendingFailure) {
        for ticket in waiting.numbers { end(ticket, .failed(cause.error)) }
    }

    // MARK: The device

    override func observe(_ change: CameraChange) {
        switch change {
        case .lens(let report): lensReported(report)
        case .deviceAttached:
            model = Self.model(context, device)
            model.setAspect(device.backend.mode.aspect)
        case .deviceReady:
            if saving == .earlierRunUntilReady { saving = .present }
            noteSavedZoom()
        case .deviceDetached:
            wakeTimer.cancel()
            actions = []
            model = Self.model(context, device)
        case .modeChanged: modeChanged()
        case .leasePassed(let origin): leasePassed(origin)
        // It publishes by its model otherwise, not with the other nodes.
        case .revisionsContinued: if device.absence == nil { publishState(repeats: true) }
        default: break
        }
    }

    /// The lens may have another range in another mode, and the view another aspect ratio.
    private func modeChanged() {
        model.setAspect(device.backend.mode.aspect)
        let opticalMax = device.backend.description.opticalMax
        guard opticalMax != model.settings.opticalMax else { return }
        guard device.presence == .arriving else {
            return perform(model.lensReaches(opticalMax, at: now))
        }
        // The zoom isn't restored yet: the model begins anew.
        model = Self.model(context, device)
        model.setAspect(device.backend.mode.aspect)
    }

    /// Takes the device to the saved zoom.
    func restore() {
        saving = .earlierRunUntilReady
        // Also a zoom without a lens comes to rest by that.
        wasMoving = true
        perform(model.restore(factor: savedZoom.factor, center: savedZoom.center, at: now))
    }

    private func lensReported(_ report: LensReport) {
        switch report {
        case .written(let optical, let moving):
            perform(model.lensReported(.written(optical: optical, moving: moving), at: now))
        case .moved(let optical, let moving): lensMoved(to: optical, isMoving: moving)
        case .taken(let optical): lensTaken(to: optical)
        case .stopped(let optical):
            perform(model.lensReported(.stopped(optical: optical), at: now))
        case .failed(let error):
            lensError = error
            if device.presence == .restoring { saving = .earlierRun }
            perform(model.lensFailed(at: now))
        }
    }

    /// The lens moved: on its way, or because another program or a person turned it.
    private func lensMoved(to optical: Double, isMoving: Bool) {
        let isExternal = model.isSettled && optical != model.snapshot.optical
        let before = model.snapshot.target
        perform(model.lensReported(.moved(optical: optical, moving: isMoving), at: now))
        guard isExternal, device.presence == .ready else { return }
        saving = .present
        guard context.settings.external == .reassert else { return }
        perform(
            model.apply(
                .go(ZoomGoal(.factor(before))), ticket: waiting.nextNumber(),
                origin: Origin(kind: .restore), at: now))
    }

    /// Another program or a person turned the lens during a ramp.
    private func lensTaken(to optical: Double) {
        guard !model.isSettled else { return lensMoved(to: optical, isMoving: false) }
        switch context.settings.external {
        case .follow: perform(model.lensTaken(to: optical, at: now))
        // The next step of the ramp, or the request under way, undoes it. Until its report the lens counts as
        // moving.
        case .reassert:
            perform(model.lensReported(.moved(optical: optical, moving: true), at: now))
        }
    }

    // MARK: Actions

    private func advance() { perform(model.advance(to: now)) }

    /// Executes the model's actions for a command.
    private func perform(_ wanted: [ZoomAction], for ticket: Ticket) {
        if model.awaits(ticket) && model.awaitedIsClamped
            || wanted.contains(.answer(ticket, ZoomAnswer(.done, clamped: true)))
        {
            wasClamped = true
        }
        perform(wanted)
    }

    /// Executes the model's actions in order; actions that a report adds meanwhile come last.
    private func perform(_ wanted: [ZoomAction]) {
        if actions.isEmpty { actions = wanted[...] } else { actions += wanted }
        if isPerforming { return }
        isPerforming = true
        // The device may go and another one come meanwhile: then the actions are those of the new model.
        while let action = actions.popFirst() { perform(action) }
        isPerforming = false
        wakeTimer.set(at: model.wake.map { ContinuousClock.Instant($0) })
        guard model.isSettled else {
            wasMoving = true
            return
        }
        if wasMoving {
            wasMoving = false
            context.post(.zoomSettled)
        }
        if !model.isGestureRunning { context.saveChanges() }
    }

    private func perform(_ action: ZoomAction) {
        switch action {
        case .driveLens(let factor):
            // Also if the lens is there at once.
            wasMoving = true
            device.backend.driveLens(to: factor)
        case .stopLens: device.backend.stopLens()
        case .publishState: publishState(repeats: wasClamped)
        case .publishLive:
            context.publishSample(
                model.snapshot.liveSample.bytes(context.stamp(rev: publication.rev)), on: .zoomSample)
            // A restart in the middle of a ramp goes on from near here.
            context.saveStateLater()
        case .publishGesture: context.post(.gesturesChanged)
        case .answer(let ticket, let answer):
            // The state with the change may be published later than the answer is sent.
            if isZoomChanged { context.saveStateLater() }
            switch answer.status {
            case .done: end(ticket, .done(clamped: answer.clamped))
            case .superseded: end(ticket, .superseded(clamped: answer.clamped))
            case .failed: end(ticket, .failed(device.commandError(lensError)))
            }
        }
    }

    private func publishState(repeats: Bool) {
        wasClamped = false
        noteSavedZoom()
        context.saveStateLater()
        let zoom = model.snapshot
        publication.update(zoom.forMessages, from: zoom.origin, repeats: repeats)
        lastPublished = context.now
        context.post(.zoomPublished)
    }

    /// The number of the camera's last change.
    var rev: Int { context.rev }

    /// The zoom as it is, under the present `rev`. A command that changed nothing is not its origin.
    var state: Stamped<ZoomState> {
        Stamped(model.snapshot, context.stamp(from: publication.origin ?? model.snapshot.origin))
    }

    // MARK: Saved state

    /// Whether the zoom differs from the one that was noted last.
    private var isZoomChanged: Bool {
        savedZoom.factor != model.factor || savedZoom.center != model.center
    }

    private func noteSavedZoom() {
        guard saving == .present else { return }
        switch device.presence {
        case .restoring, .ready: savedZoom = (model.factor, model.center)
        case .unknown, .absent, .arriving, .leaving, .private: break
        }
    }

    /// Has the present zoom saved from now on: a command decides it.
    func savePresentZoom() { saving = .present }

    /// Keeps the zoom of the run before in the saved state: it can't be restored.
    func keepSavedZoom() { saving = .earlierRun }

    override func save(to state: inout SavedCamera) {
        noteSavedZoom()
        var saved = Contract.Saved()
        (saved.factor, saved.centerX, saved.centerY) = (
            savedZoom.factor, savedZoom.center.x, savedZoom.center.y
        )
        state[Contract.Saved.self] = saved
    }
}
