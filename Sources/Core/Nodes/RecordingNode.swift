internal import Base
internal import Cameras
internal import Contract
internal import FoundationEssentials
internal import Logging
internal import Settings
internal import ZoomModel

/// `recording`: video, from the command to the finished file.
///
/// Frames are requested from the device one after the other and passed to the ``RecordingService`` with the
/// zoom as it is then. When the encoder is slower than the device, frames are left out and counted as lost.
final class RecordingNode: StateNode<Node.Recording>, CommandNode {
    /// Maximum number of frames in the encoder; further ones are left out.
    private static let maxFramesInEncoder = 8
    /// The encoder doesn't keep up if it has more frames than this; then a preview doesn't wait for it.
    private static let maxFramesWhileSharing = 2

    /// The recording under way, also while its file is being completed.
    private var current: RecordingInProgress?
    private lazy var history = RecordingHistory(saved) { didSet { saved = history.saved } }
    /// The camera's count of recordings in this run.
    private var lastNumber = 0
    /// The requests that are answered when the file is complete.
    private var stopRequests: [Request] = []
    private let sharing = FrameSharing()
    private lazy var cameraVideo = CameraVideo(context, device: device)
    private lazy var maximumTimer = context.timer { [weak self] in self?.end(.maximumDuration) }

    /// Whether frames are being recorded, or the file is being completed.
    var isActive: Bool { current != nil }

    /// Whether a command could end it.
    var isRunning: Bool { current.map { $0.ending == nil } ?? false }

    /// The number of the recording under way.
    var number: Int? { current?.number }

    // MARK: Commands

    func handle(_ command: RecordingSet, _ request: Request) throws(CommandError) {
        switch command {
        case .on(let options):
            if !isActive {
                try start(options, request.origin(.command), starter: request)
                return
            }
            if options == .init() && isRunning { return context.reply(.done, to: request) }
            let words = isRunning ? "is under way; end it first" : "is being completed"
            throw CommandError(.busy, "A recording \(words).")
        case .off:
            guard let number else { return context.reply(.done, to: request) }
            stop(number, for: request)
        }
    }

    /// Starts a recording.
    ///
    /// - Parameters:
    ///   - starter: answered as accepted now, and once more when the first frame is in the file; not when
    ///     this call fails.
    ///   - sound: the sound of the remote button that starts and ends it.
    /// - Returns: the recording's number.
    @discardableResult
    func start(
        _ options: RecordingSet.Options, _ origin: Origin, starter: Request?, sound: ShutterSound? = nil
    ) throws(CommandError) -> Int {
        let recording = try begin(options, origin, sound)
        recording.starter = starter
        current = recording
        // Without the device, the file is still completed.
        starter?.needs = .pictures
        if let starter { context.reply(.accepted, to: starter) }
        update()
        recording.requestedAt = starter?.time ?? context.now
        cameraVideo.begin(
            for: recording.options, isTimed: starter?.envelope.at != nil,
            showing: zoom.model.snapshot.viewport.forPictures, effect: controls.effect
        ) { [weak self] in self?.requestFirstFrame(recording) }
        return recording.number
    }

    private func begin(
        _ options: RecordingSet.Options, _ origin: Origin, _ sound: ShutterSound?
    ) throws(CommandError) -> RecordingInProgress {
        if options.audio == true && context.settings.microphone == nil {
            throw CommandError(
                .unsupported, "audio: no microphone is configured for this camera.", field: "audio")
        }
        let codec = options.codec ?? context.agent.recordings.codec
        let encoding = try options.encoding(with: codec, context.agent.recordings.encoding)
        if isActive { throw CommandError(.busy, "A recording is being completed.") }
        if context.isStopping { throw .stopping }
        guard context.hasNumber(for: \.recording) else { throw .noNumbers }
        guard let claim = device.claimMode(for: .recording) else {
            throw CommandError(.busy, "The session is being changed; the frame format isn't known yet.")
        }
        let mode = device.backend.mode
        let wanted = RecordingOptions(
            camera: context.id, startedAt: context.wallNow, sequence: context.numbers.recording + 1,
            codec: codec,
            width: mode.width & ~1, height: mode.height & ~1, rate: mode.rate,
            microphone: options.audio == false ? nil : context.settings.microphone,
            requiresSound: options.audio == true, encoding: encoding,
            passesThrough: codec == .h264 && !options.choosesEncoding)
        let number = lastNumber + 1
        let encoder: any ActiveRecording
        do {
            encoder = try media.recordings.begin(wanted) { [weak self] in self?.reported($0, number) }
        } catch {
            device.release(claim)
            throw error
        }
        lastNumber = number
        context.use(wanted.sequence, for: \.recording)
        history.begin(wanted.sequence)
        context.saveState()
        let maximum = options.maximumSeconds ?? context.agent.recordings.maximumSeconds
        return RecordingInProgress(
            number: number, encoder: encoder, claim: claim, options: wanted, maximum: .seconds(maximum),
            requestedAt: context.now, origin: origin, sound: sound)
    }

    // MARK: Frames

    private func requestFirstFrame(_ recording: RecordingInProgress) {
        if recording.options.passesThrough { device.backend.requestKeyFrame() }
        if number == recording.number { requestFrame(after: recording.requestedAt) }
    }

    private func requestFrame(after time: ContinuousClock.Instant) {
        guard let number else { return }
        cameraVideo.frame(exposedAfter: time) { [self] result in
            guard self.number == number, isRunning else { return }
            switch result {
            case .success(let frame): use(frame)
            case .failure(.unplugged): end(.unplugged)
            case .failure(let error) where cameraVideo.failed(error): requestFrame(after: context.now)
            case .failure(let error):
                if current?.requestFailed(at: context.now) == true {
                    return end(.failed, device.commandError(error))
                }
                requestFrame(after: context.now)
            }
        }
    }

    private func use(_ frame: Frame) {
        guard let recording = current else { return }
        let shown = zoom.shown(on: frame)
        let view = shown.view(on: frame)
        if recording.options.changeOfPicture(showing: view, effect: controls.effect) != nil {
            cameraVideo.end()
        }
        guard let start = recording.start ?? beginning(of: recording, with: frame, view) else {
            return requestFrame(after: frame.exposedAt.advanced(by: .nanoseconds(1)))
        }
        let time = start.duration(to: frame.exposedAt)
        if time >= recording.maximum { return end(.maximumDuration) }
        if recording.start == nil {
            maximumTimer.set(at: start.advanced(by: recording.maximum))
            cameraVideo.recordingBegan()
        }
        if recording.admit(frame, start: start, maxInEncoder: Self.maxFramesInEncoder) {
            let copyWidth = sharing.take(frame, shown: shown, framesInEncoder: recording.framesInEncoder)
            recording.encoder.add(
                frame, showing: view, effect: controls.effect, at: time, copyWidth: copyWidth)
        }
        requestFrame(after: frame.exposedAt.advanced(by: .nanoseconds(1)))
    }

    /// When the first frame is exposed that is recorded; nil: it hasn't come yet.
    private func beginning(
        of recording: RecordingInProgress, with frame: Frame, _ view: Region
    ) -> ContinuousClock.Instant? {
        guard case .h264(let video) = frame.picture,
            recording.options.passes(frame, showing: view, effect: controls.effect)
        else { return frame.exposedAt }
        let start = recording.begin(with: frame, video)
        if recording.lacksKeyFrame {
            context.logger.warning(
                "\(context.id): no key frame came: the recording is encoded, not the camera's own video")
        }
        return start
    }

    /// Shares the next frame with a preview.
    ///
    /// - Returns: false if the preview has to request a frame from the device: there is no recording, or its
    ///   encoder doesn't keep up.
    func shareFrame(_ request: FrameSharing.Request) -> Bool {
        guard let recording = current, recording.phase == .recording, !cameraVideo.isBeside,
            recording.framesInEncoder <= Self.maxFramesWhileSharing
        else { return false }
        return sharing.request(request)
    }

    // MARK: Reports of the encoder

    private func reported(_ report: RecordingReport, _ number: Int) {
        guard self.number == number else { return }
        switch report {
        case .began(let file):
            began(file)
            if let encoder = file.encoder { context.post(.encoderUsed(encoder)) }
        case .reduced(let copy): sharing.reduced(copy)
        case .encoded: frameEncoded(isDamaged: false)
        case .damaged: frameEncoded(isDamaged: true)
        case .full: end(.sizeLimit)
        case .continued(let outcome, let cause): continued(outcome, cause)
        case .finished(let outcome): finished(outcome)
        }
    }

    private func frameEncoded(isDamaged: Bool) {
        let exposed = current?.frameEncoded()
        if isDamaged, let exposed { device.countDamagedFrame(exposedAt: exposed) }
        sharing.frameEncoded()
    }

    private func began(_ file: RecordingFileStart) {
        guard let recording = current else { return }
        // It may have been ended before the encoder had the first frame in the file.
        recording.fileBegan(file)
        // A crash from now on leaves a file that plays.
        history.fileBegan(recording.interruptedFields(file.path))
        context.saveState()
        update()
        context.publishEvent(.recordingStarted, by: recording.envelope) { $0.path = file.path }
        if let starter = recording.starter { context.reply(.done, to: starter) }
        if recording.isInFirstFile { recording.sound?.publish(.recordingStarted, context) }
    }

    /// An earlier file of the recording is complete.
    private func continued(_ outcome: RecordingOutcome, _ cause: RecordingFields.Cause) {
        guard let recording = current else { return }
        let fields = recording.continued(outcome, cause)
        history.fileEnded(fields)
        context.saveState()
        if let error = outcome.error ?? outcome.warning {
            context.logger.warning("\(context.id): the recording goes on in another file: \(error.message)")
        }
        context.publishEvent(.recordingFinished, by: recording.envelope) { $0.recording = fields }
        context.post(.filesChanged)
    }

    /// Ends the recording under way, if there is one; its file is completed.
    func end(_ reason: RecordingFields.Reason, _ error: CommandError? = nil) {
        guard let recording = current, recording.ending == nil else { return }
        recording.ending = (reason, error)
        maximumTimer.cancel()
        cameraVideo.end()
        recording.encoder.finish()
        update()
        sharing.recordingEnds()
    }

    private func finished(_ outcome: RecordingOutcome) {
        // An encoder that fails finishes by itself.
        end(.failed)
        cameraVideo.whenEnded { [weak self] in self?.conclude(outcome) }
    }

    /// The file is complete, and frames come in the mode of the session.
    private func conclude(_ outcome: RecordingOutcome) {
        guard let recording = current, let ending = recording.ending else { return }
        let error = recording.explained(outcome.error ?? ending.error)
        let reason = outcome.error.map { $0.code == .storageFull ? .diskFull : .failed } ?? ending.reason
        let fields = recording.fields(outcome, reason: reason, error: error)
        current = nil
        sharing.recordingEnded()
        history.finished(recording.number, fields)
        context.saveState()
        if let warning = outcome.warning, outcome.error == nil {
            context.logger.warning(
                "\(context.id): \(warning.followed(by: "The recording is playable.").message)")
        }
        if let error { context.logger.warning("\(context.id): the recording ended: \(error.message)") }
        update()
        context.publishEvent(.recordingFinished, by: recording.envelope) { $0.recording = fields }
        if recording.path != nil { recording.sound?.publish(.recordingFinished, context) }
        if let starter = recording.starter {
            context.refuse(
                starter, error ?? CommandError(.busy, "The recording was ended before its first frame."))
        }
        for request in stopRequests.takeAll() { answer(request, fields) }
        device.release(recording.claim)
        context.post(.recordingEnded)
        context.post(.filesChanged)
    }

    // MARK: Recordings that a crash cut off

    /// Has the files of recordings inspected that a crash of an earlier run cut off, one after the other, and
    /// reports each once. A recording may begin meanwhile.
    func reportInterrupted() {
        guard let interrupted = history.interrupted.first, let path = interrupted.path else { return }
        do throws(CommandError) {
            try media.recordings.inspect(path) { [weak self] in self?.inspected($0, interrupted) }
        } catch {
            let words = error.followed(by: "The recording \(path) is reported by the next run.").message
            context.logger.warning("\(context.id): \(words)")
        }
    }

    private func inspected(_ outcome: RecordingOutcome?, _ interrupted: RecordingFields) {
        let fields = outcome.map(interrupted.with)
        history.reportInterrupted(fields)
        context.saveState()
        if let fields {
            context.logger.warning(
                "\(context.id): a recording was cut off: \(fields.path ?? "no frame is in its file"), \(fields.duration) s"
            )
            if let error = fields.error { context.logger.warning("\(context.id): \(error.message)") }
            update()
            context.publishEvent(.recordingFinished, by: nil) { $0.recording = fields }
        }
        context.post(.filesChanged)
        reportInterrupted()
    }

    // MARK: Answers

    /// Ends the recording with this number for a request, which is answered with the recording, also when it
    /// has ended before.
    func stop(_ number: Int, for request: Request) {
        if self.number == number {
            context.reply(.accepted, to: request)
            request.needs = []
            stopRequests.append(request)
            end(.stopped)
        } else if let last = history.last, last.number == number {
            answer(request, last.fields)
        } else {
            context.reply(.done, to: request)
        }
    }

    private func answer(_ request: Request, _ fields: RecordingFields) {
        if let error = fields.error, fields.path == nil { return context.refuse(request, error) }
        context.reply(.done, to: request) { $0.recording = fields }
    }

    override func failPending(_ cause: PendingFailure) {
        switch cause {
        case .deviceGone: end(.unplugged)
        case .privacy: end(.privacy)
        case .stopping:
            end(.agentStopped)
            cameraVideo.abandon()
        }
        context.end([current?.starter].compactMap(\.self) + stopRequests, cause)
    }

    override func observe(_ change: CameraChange) {
        guard case .fileDeleted(let name) = change, history.fileDeleted(name) else { return }
        context.saveState()
        update()
    }

    // MARK: State

    override var state: RecordingState? {
        var state = RecordingState(current?.phase ?? .idle, last: history.last?.fields)
        if let recording = current { state.describe(recording) }
        return state
    }
}
