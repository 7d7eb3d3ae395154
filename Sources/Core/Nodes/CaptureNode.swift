internal import Base
internal import Cameras
internal import Contract
internal import FoundationEssentials
internal import Settings
internal import ZoomModel

/// `capture`: photos, one capture after the other, each in steps: move the zoom, settle, expose, encode,
/// store.
final class CaptureNode: StateNode<Node.Capture> {
    /// Captures that wait for their first photo.
    private static let maxNew = 16
    /// Series, between whose photos other captures have their turn.
    private static let maxSeries = 16
    /// How long a capture moves the zoom, how long a photo then waits for it to be at rest, and how long a
    /// capture of another client lets both happen.
    private static let settleTimeout = Duration.seconds(30)

    private var queue: [CaptureJob] = []
    /// The capture that is being carried out.
    private var current: CaptureJob?
    /// The turn of the last capture that began.
    private var presentTurn = 0
    /// The shutter buttons that are held down, which the state shows.
    private var pressed: [ButtonRole] = []
    private lazy var timer = context.timer { [weak self] in self?.timerFired() }

    // MARK: Commands

    /// Takes a photo, or a series of them.
    ///
    /// - Parameters:
    ///   - sound: the sound of the remote button that was pressed.
    ///   - isAccepted: the request has been answered as accepted already.
    /// - Throws: `busy` when too many captures wait.
    func takePhotos(
        _ command: CaptureSet, _ request: Request, sound: ShutterSound? = nil, isAccepted: Bool = false
    ) throws(CommandError) {
        try makeRoom(for: request, ofSeries: command.count > 1)
        let job = CaptureJob(
            command, turn: nextTurn(of: request.client), request: request, sound: sound,
            requestedAt: context.wallNow, now: context.now)
        queue.append(job)
        if !job.isAnsweredByPhoto && !isAccepted { answer(.accepted, job) }
        update()
        startNext()
    }

    /// Ends captures of other clients if there are too many of a kind. None ends for a request that is
    /// refused.
    private func makeRoom(for request: Request, ofSeries isSeries: Bool) throws(CommandError) {
        var leaving = try placeToFree(among: queue.filter(\.isNew), atMost: Self.maxNew, for: request)
        if isSeries {
            let running = current?.isSeries == true ? 1 : 0
            let series = queue.filter { $0.isSeries && $0 !== leaving.first }
            leaving += try placeToFree(among: series, atMost: Self.maxSeries - running, for: request)
        }
        for job in leaving {
            queue.removeAll { $0 === job }
            if job.isNew {
                context.refuse(job.request, .madeRoom("capture"))
            } else {
                answer(.superseded, job)
            }
        }
    }

    /// The capture that makes room, if there are too many.
    private func placeToFree(
        among jobs: [CaptureJob], atMost limit: Int, for request: Request
    ) throws(CommandError) -> [CaptureJob] {
        let place = try FairShare.place(
            for: request.owner, among: jobs.map(\.request.owner), atMost: limit,
            else: "\(jobs.count) captures wait already. Wait\(CommandError.Advice.stopCaptures.rawValue).")
        return place.map { [jobs[$0]] } ?? []
    }

    private func nextTurn(of client: ClientIdentity?) -> Int {
        var last = presentTurn
        for job in queue where job.client == client { last = max(last, job.turn) }
        return last + 1
    }

    /// Ends captures of the request's client: those that wait, and the present one unless its last photo is
    /// being stored.
    func stop(_ command: CaptureStop, _ request: Request) {
        let isMeant = { (job: CaptureJob) in
            job.client == request.client
                && (command.capture == nil || command.capture == job.request.envelope.id)
        }
        let ended = queue.filter(isMeant)
        queue.removeAll(where: isMeant)
        for job in ended { answer(.superseded, job) }
        if let job = current, isMeant(job) {
            if case .storing = job.step {
                current?.isStopped = job.remaining > 1
            } else {
                endCurrent()
                answer(.superseded, job)
            }
        }
        update()
        context.reply(.done, to: request)
        startNext()
    }

    /// Shows the held buttons in the state.
    func setPressed(_ buttons: [ButtonRole]) {
        pressed = buttons
        update()
    }

    // MARK: Steps

    /// Starts the first capture that is due and whose turn it is, or waits for it.
    private func startNext() {
        guard current == nil, !context.isStopping else { return }
        // A device that goes answers its calls before its end is known to all: nothing is started on it any
        // more.
        if let absence = device.absence { return failQueued(absence) }
        let due = queue.indices.filter { queue[$0].due <= context.now }
        guard let index = due.min(by: { queue[$0].turn < queue[$1].turn }) else {
            return timer.set(at: queue.map(\.due).min())
        }
        timer.cancel()
        let job = queue.remove(at: index)
        presentTurn = max(presentTurn, job.turn)
        current = job
        current?.settlesUntil = nil
        // The zoom of a series is moved once, before the first photo.
        guard let goal = job.command.zoom, job.photos.isEmpty else { return settle() }
        current?.step = .zooming
        timer.set(at: zoomDeadline(of: job))
        zoom.move(.go(goal), origin: job.request.origin(.command)) { [self] outcome in
            guard isCurrent(job, at: .zooming) else { return }
            switch outcome {
            case .done: settle()
            case .failed(let error): fail(error)
            case .superseded:
                endCurrent()
                answer(.superseded, job)
                supersedeQueued()
                startNext()
            }
        }
    }

    private func isCurrent(_ job: CaptureJob, at step: CaptureJob.Step) -> Bool {
        current === job && job.step == step
    }

    /// When a capture fails whose zoom isn't at rest: after its own time, or when a capture of another client
    /// has waited for as long. Each waiting client has its turn then, however many come before it.
    private func zoomDeadline(of job: CaptureJob) -> ContinuousClock.Instant {
        let others = queue.filter { $0.client != job.client }.map(\.due)
        return min(context.now, others.min() ?? context.now).advanced(by: Self.settleTimeout)
    }

    private func settle() {
        guard let job = current else { return }
        current?.step = .settling
        // Again, if the zoom was moved during an exposure: also then the photo has its time once.
        if let end = job.settlesUntil, context.now >= end { return fail(.zoomMoves) }
        let end = job.settlesUntil ?? zoomDeadline(of: job)
        current?.settlesUntil = end
        timer.set(at: end)
        exposeIfSettled()
    }

    private func exposeIfSettled() {
        guard current?.step == .settling, let job = current, zoom.isSettled else { return }
        timer.cancel()
        let step = CaptureJob.Step.exposing(optical: zoom.model.snapshot.optical)
        current?.step = step
        let earliest = job.earliestExposure(now: context.now, settled: zoom.lastPublished)
        device.frame(exposedAfter: earliest) { [self] result in
            guard isCurrent(job, at: step) else { return }
            switch result {
            case .failure(let error): fail(device.commandError(error))
            case .success(let frame): encode(frame, for: job, at: step)
            }
        }
    }

    private func encode(_ frame: Frame, for job: CaptureJob, at step: CaptureJob.Step) {
        guard context.hasNumber(for: \.photo) else { return fail(.noNumbers) }
        let command = job.command
        let isSame = zoom.isSettled && step == .exposing(optical: zoom.model.snapshot.optical)
        // The zoom was moved during the exposure: another frame is taken once it is at rest again.
        guard isSame || command.maximumAgeMilliseconds != nil else { return settle() }
        job.sound?.publish(.photo, context)
        let exposedAt = context.wallTime(at: frame.exposedAt)
        let shown = zoom.model.snapshot
        let options = PhotoOptions(
            view: shown.viewport.forPictures, width: command.width, height: command.height,
            quality: command.quality, effect: controls.effect)
        media.photos.encode(frame, camera: context.id, options) { [weak self] result in
            guard let self else { return }
            device.countIfDamaged(result, frame)
            guard isCurrent(job, at: step) else { return }
            switch result {
            case .failure(let failure): fail(failure.error)
            case .success(let photo):
                let sequence = context.numbers.photo + 1
                let fields = PhotoFields(
                    path: media.photos.path(camera: context.id, exposedAt: exposedAt, sequence: sequence),
                    bytes: photo.bytes.count, width: photo.width, height: photo.height,
                    quality: photo.quality, factor: shown.factor, viewport: shown.viewport,
                    frame: frame.number, exposedAt: Timestamp.text(exposedAt),
                    requestedAt: Timestamp.text(job.requestedAt), sequence: sequence,
                    index: job.photos.count + 1, of: command.count,
                    offset: job.offset(of: frame.exposedAt))
                if photo.isClamped { current?.isClamped = true }
                store(fields, photo.bytes, for: job, exposed: frame.exposedAt)
            }
        }
    }

    private func store(
        _ fields: PhotoFields, _ photo: [UInt8], for job: CaptureJob, exposed: ContinuousClock.Instant
    ) {
        // With `reply: image` the photo is sent before it is stored.
        if job.isAnsweredByPhoto {
            context.use(fields.sequence, for: \.photo)
            context.saveStateLater()
            job.request.answer(photo: photo, fields, isLast: job.remaining == 1)
        }
        current?.step = .storing
        media.photos.store(photo, camera: context.id, path: fields.path) { [weak self] result in
            guard let self, isCurrent(job, at: .storing) else { return }
            switch result {
            case .failure(let error): fail(error)
            case .success: stored(fields, photo, exposed: exposed)
            }
        }
    }

    private func stored(_ fields: PhotoFields, _ photo: [UInt8], exposed: ContinuousClock.Instant) {
        context.use(fields.sequence, for: \.photo)
        (saved.photoNumber, saved.lastPhoto) = (fields.sequence, fields)
        current?.add(fields, exposed: exposed, now: context.now)
        guard let job = current else { return }
        context.publishPhoto(photo, fields)
        context.publishEvent(.shutter, by: job.request.envelope) { $0.photo = fields }
        context.saveState()
        context.post(.filesChanged)
        if job.remaining > 0 && !job.isStopped {
            (job.step, job.turn) = (.queued, nextTurn(of: job.client))
            queue.append(job)
        }
        endCurrent()
        if job.isStopped {
            answer(.superseded, job)
        } else if job.remaining == 0 {
            answer(.done, job)
        }
        startNext()
    }

    // MARK: Ends

    private func answer(_ status: Reply.Status, _ job: CaptureJob) {
        context.reply(status, to: job.request) { reply in
            if status == .done || status == .superseded && !job.photos.isEmpty { reply.photos = job.photos }
            if job.isClamped { reply.clamped = true }
        }
    }

    private func fail(_ error: CommandError) {
        guard let job = current else { return }
        endCurrent()
        refuse(job, error)
        startNext()
    }

    /// A client that has the photo isn't answered that there is none: a photo that can't be stored is
    /// published as an event only.
    private func refuse(_ job: CaptureJob, _ error: CommandError) {
        if !job.request.isOpen { return context.publishRefusal(error, of: job.request) }
        context.refuse(job.request, error)
    }

    /// Makes the camera free for the next capture.
    private func endCurrent() {
        timer.cancel()
        current = nil
        update()
    }

    /// A newer request moves the zoom: queued captures with a zoom of their own don't move it back.
    ///
    /// - Parameter holder: only those of other clients than this one end.
    private func supersedeQueued(except holder: ClientIdentity? = nil) {
        let isSuperseded = { (job: CaptureJob) in
            job.command.zoom != nil && job.photos.isEmpty && (holder == nil || job.client != holder)
        }
        let superseded = queue.filter(isSuperseded)
        guard !superseded.isEmpty else { return }
        queue.removeAll(where: isSuperseded)
        for job in superseded { answer(.superseded, job) }
        update()
    }

    override func failPending(_ cause: PendingFailure) {
        // A photo that is encoded needs no device any more. An agent that stops doesn't wait for the disk,
        // and a private camera keeps no photo of a command that has failed.
        if let job = current {
            switch (job.step, cause) {
            case (.storing, .deviceGone): break
            default:
                // Its file may still appear: the number is used.
                if job.step == .storing && !job.isAnsweredByPhoto {
                    context.use(context.numbers.photo + 1, for: \.photo)
                }
                current = nil
                timer.cancel()
                refuse(job, cause.error)
            }
        }
        failQueued(cause.error)
    }

    private func failQueued(_ error: CommandError) {
        let jobs = queue.takeAll()
        for job in jobs { context.refuse(job.request, error) }
        if !jobs.isEmpty { update() }
    }

    // MARK: Events

    override func observe(_ change: CameraChange) {
        switch change {
        case .zoomSettled: exposeIfSettled()
        case .zoomCommanded: supersedeQueued()
        case .leasePassed(let origin): supersedeQueued(except: origin.client)
        case .deviceDetached, .stopped: update()
        case .fileDeleted(let name):
            guard saved.lastPhoto?.path.hasSuffix("/" + name) == true else { return }
            saved.lastPhoto = nil
            context.saveState()
            update()
        default: break
        }
    }

    private func timerFired() {
        guard let job = current else { return startNext() }
        if job.step == .zooming {
            // The captures that wait need the zoom at rest.
            current?.step = .queued
            zoom.move(.stop, origin: job.request.origin(.command)) { _ in }
        }
        fail(.zoomMoves)
    }

    // MARK: State

    // A photo isn't a change of the camera: it gets no new `rev`, so it doesn't fail other clients' `if_rev`.
    override var state: CaptureState? {
        let pending = queue.reduce(current?.remaining ?? 0) { $0 + $1.remaining }
        return CaptureState(
            pending: pending, counter: saved.photoNumber, last: saved.lastPhoto, pressed: pressed)
    }
}

extension CommandError {
    fileprivate static let zoomMoves = CommandError(
        .busy,
        "The zoom didn't come to rest within 30 s, or until a capture of another client had waited for 30 s; no photo was taken. Give zoom a higher rate, or none."
    )
}
