internal import Cameras
internal import FoundationEssentials
internal import Logging
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import Picture
internal import ZoomModel

/// `recording`: moving pictures, from the command to the finished file.
///
/// Frames are asked of the camera one after the other and given to a ``MovieMaker`` with the zoom as it is then. Where that is slower than the
/// camera, frames are left out and counted.
final class RecordingNode {
    /// A recording under way.
    private struct Take {
        let number: Int
        let maker: MovieMaker
        let plan: MovieMaker.Plan
        let maximum: Duration
        let origin: Origin
        let startedAt: Date
        /// Whoever is answered when the first frame is in the file.
        var starter: Asker?
        let sound: Sound?
        /// Of the file, once the first frame is in it.
        var path: String?
        var hasBegun: Bool { path != nil }
        var hasSound = false
        /// Of the first frame.
        var start: ContinuousClock.Instant?
        var lastNumber: Int?
        /// Frames that the maker has and hasn't done yet.
        var inWork = 0
        /// Frames that the maker was given, and those that it wasn't.
        var given = 0
        var lost = 0
        /// Requests for a frame that failed, one after the other.
        var failures = 0
        /// Why it ends; nil: it goes on.
        var ending: RecordingFields.Reason?
        var error: CommandError?
    }

    /// Frames that may be in work at once; when there are more, the maker doesn't keep up.
    private static let inWorkAtMost = 8
    private static let failuresAtMost = 3

    private unowned let camera: Camera
    private var take: Take?
    private var last: (number: Int, fields: RecordingFields)?
    private var lastTake = 0
    /// Who waits for the file to be complete.
    private var waiting: [(RecordingFields) -> Void] = []
    private lazy var maximumTimer = camera.agent.loop.timer { [weak self] in self?.end(.maximumDuration) }

    init(_ camera: Camera) { self.camera = camera }

    private var agent: Agent { camera.agent }
    private var settings: RecordingSettings { agent.settings.recordings }

    /// Whether frames are being recorded, or the file of them is being completed.
    var isActive: Bool { take != nil }
    /// Whether somebody could end it.
    var isRunning: Bool { take.map { $0.ending == nil } ?? false }
    /// The number of the recording that is under way.
    var current: Int? { take?.number }

    func handle(_ command: RecordingSet, _ asker: Asker) {
        switch command {
        case .on(let options):
            guard isActive else {
                start(options, for: asker, asker.origin(.command))
                return
            }
            if options == .init() && isRunning { return camera.answer(.done, asker) }
            let words = isRunning ? "is under way; end it first" : "is being completed"
            agent.refuse(CommandError(.busy, "A recording \(words)."), asker)
        case .off:
            guard let current else { return camera.answer(.done, asker) }
            stop(current, for: asker)
        }
    }

    /// Begins to record; the asker, if there is one, is answered at once and when the first frame is in the file.
    ///
    /// - Parameter sound: who is to hear its beginning and its end.
    /// - Returns: its number, or why there is none.
    @discardableResult
    func start(
        _ options: RecordingSet.Options, for asker: Asker?, _ origin: Origin, sound: Sound? = nil
    ) -> Result<Int, CommandError> {
        do throws(CommandError) {
            let take = try makeTake(options, for: asker, origin, sound)
            self.take = take
            if let asker { camera.answer(.accepted, asker) }
            publish()
            askForFrame(after: agent.loop.now)
            return .success(take.number)
        } catch {
            if let asker {
                agent.refuse(error, asker)
            } else {
                agent.logger.warning("\(camera.id): no recording: \(error.message)")
            }
            return .failure(error)
        }
    }

    private func makeTake(
        _ options: RecordingSet.Options, for asker: Asker?, _ origin: Origin, _ sound: Sound?
    ) throws(CommandError) -> Take {
        if options.audio == true && camera.settings.microphone == nil {
            throw CommandError(
                .unsupported, "audio: no microphone is configured for this camera.", field: "audio")
        }
        if isActive { throw CommandError(.busy, "A recording is being completed.") }
        if camera.session.isChanging {
            throw CommandError(.busy, "The session is being changed; how frames come isn't known yet.")
        }
        if agent.isStopping { throw Agent.stopping }
        lastTake += 1
        let number = lastTake
        let plan = plan(options)
        do throws(LoopError) {
            let maker = try MovieMaker(plan, on: agent.loop) { [weak self] in self?.reported($0, number) }
            return Take(
                number: number, maker: maker, plan: plan,
                maximum: .seconds(options.maximumSeconds ?? settings.maximumSeconds), origin: origin,
                startedAt: .now, starter: asker, sound: sound)
        } catch {
            throw CommandError(.device, "There can be no further thread for a recording: \(error)")
        }
    }

    private func plan(_ options: RecordingSet.Options) -> MovieMaker.Plan {
        let mode = camera.backend.mode
        let codec = options.codec ?? settings.codec
        return MovieMaker.Plan(
            folder: agent.recordings, maximumFileBytes: settings.maximumFileBytes, camera: camera.id,
            name: MediaName.of(
                camera: camera.id, at: .now, sequence: camera.nextRecording(),
                suffix: MediaFolder.suffix(of: codec.forMovies)),
            codec: codec, width: mode.width & ~1, height: mode.height & ~1, rate: mode.rate,
            microphone: options.audio == false ? nil : camera.settings.microphone,
            needsSound: options.audio == true)
    }

    // MARK: Frames

    private func askForFrame(after time: ContinuousClock.Instant) {
        guard let number = take?.number else { return }
        camera.backend.frame(exposedAfter: time) { [weak self] result in
            guard let self, take?.number == number, isRunning else { return }
            switch result {
            case .success(let frame): use(frame)
            case .failure(.unplugged): end(.unplugged)
            case .failure(let error):
                take?.failures += 1
                if take?.failures ?? 0 >= Self.failuresAtMost { return end(.failed, error.forMessages) }
                askForFrame(after: agent.loop.now)
            }
        }
    }

    private func use(_ frame: Frame) {
        guard var take else { return }
        let start = take.start ?? frame.exposedAt
        let time = start.duration(to: frame.exposedAt)
        if time >= take.maximum { return end(.maximumDuration) }
        if take.start == nil { maximumTimer.set(at: start.advanced(by: take.maximum)) }
        if let last = take.lastNumber, frame.number > last { take.lost += frame.number - last - 1 }
        (take.start, take.lastNumber, take.failures) = (start, frame.number, 0)
        if take.inWork < Self.inWorkAtMost {
            take.inWork += 1
            take.given += 1
            let view = frame.field.part(camera.model.snapshot.viewport.forPictures)
            take.maker.add(frame, showing: view, effect: camera.effect, at: time)
        } else {
            take.lost += 1
        }
        self.take = take
        askForFrame(after: frame.exposedAt.advanced(by: .nanoseconds(1)))
    }

    // MARK: The maker's reports

    private func reported(_ report: MovieMaker.Report, _ number: Int) {
        guard take?.number == number else { return }
        switch report {
        case .began(let path, let hasSound): began(path, hasSound)
        case .took: take?.inWork -= 1
        case .full: end(.sizeLimit)
        case .finished(let outcome): finished(outcome)
        }
    }

    private func began(_ path: String, _ hasSound: Bool) {
        take?.path = path
        take?.hasSound = hasSound
        guard let take, take.ending == nil else { return }
        publish()
        camera.announce(.recordingStarted, by: take.origin.client, take.origin.id) { $0.path = path }
        if let starter = take.starter { camera.answer(.done, starter) }
        camera.tell(.recordingStarted, take.sound)
        self.take?.starter = nil
    }

    /// Ends the recording that is under way; calls back when its file is complete.
    func end(
        _ reason: RecordingFields.Reason, _ error: CommandError? = nil,
        then: ((RecordingFields) -> Void)? = nil
    ) {
        guard take != nil else { return }
        if let then { waiting.append(then) }
        guard take?.ending == nil else { return }
        take?.ending = reason
        take?.error = error
        maximumTimer.cancel()
        take?.maker.finish()
        publish()
    }

    private func finished(_ outcome: MovieMaker.Outcome) {
        guard let take else { return }
        maximumTimer.cancel()
        self.take = nil
        let error = outcome.error ?? take.error
        let fields = RecordingFields(
            path: outcome.path, codec: take.plan.codec, encoder: outcome.encoder, width: take.plan.width,
            height: take.plan.height, duration: outcome.duration / .seconds(1), bytes: outcome.bytes,
            frames: outcome.frames, lost: take.lost + max(0, take.given - outcome.frames),
            audio: take.hasSound,
            startedAt: Timestamp.text(take.startedAt),
            reason: outcome.error.map { $0.code == .storageFull ? .diskFull : .failed } ?? take.ending
                ?? .failed,
            error: error)
        last = (take.number, fields)
        if let trouble = outcome.trouble, outcome.error == nil {
            agent.logger.warning("\(camera.id): \(trouble.message); the recording plays all the same")
        }
        if let error { agent.logger.warning("\(camera.id): the recording ended: \(error.message)") }
        publish()
        camera.announce(.recordingFinished, by: take.origin.client, take.origin.id) { $0.recording = fields }
        if take.hasBegun { camera.tell(.recordingFinished, take.sound) }
        if let starter = take.starter {
            agent.refuse(
                error ?? CommandError(.busy, "The recording was ended before its first frame."), starter)
        }
        let then = waiting
        waiting = []
        for waiter in then { waiter(fields) }
        camera.applyWhatWaited()
        agent.recordingEnded()
    }

    /// Ends the recording of this number for somebody who is told what came of it, also when it has ended already.
    func stop(_ number: Int, for asker: Asker) {
        if take?.number == number {
            camera.answer(.accepted, asker)
            end(.stopped) { [weak self] in self?.answer($0, asker) }
        } else if let last, last.number == number {
            answer(last.fields, asker)
        } else {
            camera.answer(.done, asker)
        }
    }

    /// Says what came of the recording that the asker has ended.
    private func answer(_ fields: RecordingFields, _ asker: Asker) {
        if let error = fields.error, fields.path == nil { return agent.refuse(error, asker) }
        var reply = asker.reply(.done, boot: agent.boot)
        (reply.rev, reply.recording) = (camera.rev, fields)
        agent.answer(reply, asker)
    }

    func publish() {
        let phase: RecordingState.Phase =
            take.map { $0.ending != nil ? .finishing : $0.hasBegun ? .recording : .starting } ?? .idle
        var state = RecordingState(
            phase, last: last?.fields, rev: camera.rev, boot: agent.boot, ts: Timestamp.text())
        if let take {
            (state.path, state.codec) = (take.path, take.plan.codec)
            (state.width, state.height) = (take.plan.width, take.plan.height)
            (state.maximumSeconds, state.audio) = (take.maximum / .seconds(1), take.hasSound)
            (state.startedAt, state.origin) = (Timestamp.text(take.startedAt), take.origin.forMessages)
        }
        camera.publish(state, as: .recording)
    }
}
