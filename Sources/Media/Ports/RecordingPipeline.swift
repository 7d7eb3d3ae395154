internal import Base
internal import Cameras
internal import Contract
internal import Core

/// The work of a recording's thread: it opens the file and the microphone, encodes the part of each frame
/// that is in view, and completes the file.
struct RecordingPipeline {
    private enum State {
        /// There is no file yet. These frames wait until it is known whether there is sound.
        case awaitingSound(Microphone, [RecordedFrame])
        /// There is no sound, and no file yet: it begins with the next frame.
        case awaitingFrame
        case writing(RecordingFile, Progress)
        /// The final report was made. What comes now is ignored.
        case finished
    }

    private enum Progress {
        /// No frame is in the file yet.
        case beginning(Beginning)
        case begun
        /// The file has its maximum size. Frames and sound that come now are left out.
        case full
    }

    /// When a recording fails because all frames are damaged: before its first frame after some of them, and
    /// before the first frame of a next file after some time, because H.264 that was damaged is intact again
    /// with its next key frame.
    private struct Beginning {
        private static let maxDamagedFrames = 5
        private static let maxDamagedTime = Duration.seconds(10)

        /// The time of the first frame for the file, if it continues the recording.
        var continuesAt: Duration?
        /// Damaged frames in a row.
        private var damaged = 0

        init(continuesAt: Duration? = nil) { self.continuesAt = continuesAt }

        /// Counts a damaged frame. Returns whether the recording fails.
        mutating func countDamaged(at time: Duration) -> Bool {
            damaged += 1
            guard let continuesAt else { return damaged >= Self.maxDamagedFrames }
            return time - continuesAt >= Self.maxDamagedTime
        }

        mutating func countIntact() { damaged = 0 }
    }

    private let plan: RecordingPlan
    private let report: (RecordingReport) -> Void
    private var state = State.awaitingFrame
    /// Completes an earlier file, and passes its outcome to ``perform(_:)``; nil: it is completed at once.
    private var complete: ((EarlierFile) throws(LoopError) -> Void)?
    /// Earlier files that are being completed.
    private var completing = 0
    /// The final report, which waits for the earlier files.
    private var outcome: RecordingOutcome?

    init(_ plan: RecordingPlan, report: @escaping (RecordingReport) -> Void) {
        (self.plan, self.report) = (plan, report)
    }

    /// After ``listen(receive:)``.
    mutating func perform(_ job: RecordingThread.Job) {
        switch job {
        case .frame(let frame): take(frame)
        case .sound(.block(let block)): take(block)
        case .sound(.failed(let error)): soundFailed(error)
        case .soundTimeout:
            if case .awaitingSound = state { soundFailed(.lost("the microphone delivers no sound")) }
        case .earlierFileCompleted(let outcome, let cause): earlierFileCompleted(outcome, cause)
        case .finish: finish(nil)
        }
    }

    /// Has earlier files completed elsewhere, so that the frames of the next file don't wait for that.
    ///
    /// - Parameter complete: gets a file that no longer belongs to this thread.
    mutating func completeEarlierFiles(by complete: @escaping (EarlierFile) throws(LoopError) -> Void) {
        self.complete = complete
    }

    // MARK: Pictures

    private mutating func take(_ frame: RecordedFrame) {
        switch state {
        case .awaitingSound(let microphone, let frames):
            state = .awaitingSound(microphone, frames + [frame])
        case .awaitingFrame: open(with: [frame], nil)
        case .writing(let file, let progress): write(frame, to: file, progress)
        case .finished: break
        }
    }

    /// Makes the file and writes the first frames, if there is one.
    private mutating func open(with frames: [RecordedFrame], _ microphone: Microphone?) {
        guard let first = frames.first else { return }
        do {
            let file = try RecordingFile(plan, first: first, microphone: microphone)
            state = .writing(file, .beginning(Beginning()))
        } catch {
            return finish(error)
        }
        for frame in frames { take(frame) }
    }

    private mutating func write(_ frame: RecordedFrame, to file: RecordingFile, _ progress: Progress) {
        if case .full = progress { return report(.encoded) }
        if let cause = file.reasonToContinue(before: frame) {
            return `continue`(with: frame, after: file, cause)
        }
        do {
            try file.write(frame) { [report] copy in report(.reduced(copy)) }
            if case .beginning(var beginning) = progress {
                beginning.countIntact()
                state = .writing(file, file.hasFrames ? .begun : .beginning(beginning))
                if file.hasFrames { report(.began(file.beginning)) }
            }
            if file.isFull {
                state = .writing(file, .full)
                report(.full)
            }
        } catch let error as ImagingError {
            // One frame is damaged; the next may be intact.
            report(error.isOfPicture ? .damaged : .encoded)
            if case .beginning(var beginning) = progress {
                if beginning.countDamaged(at: frame.time) { return finish(error) }
                state = .writing(file, .beginning(beginning))
            }
            return
        } catch MovieError.encoder {
            file.encoderHasFailed = true
            return `continue`(with: frame, after: file, .encoder)
        } catch {
            return finish(error)
        }
        report(.encoded)
    }

    // MARK: The next file

    /// Completes the file, and continues the recording in another one with this frame.
    private mutating func `continue`(
        with frame: RecordedFrame, after file: RecordingFile, _ cause: RecordingFields.Cause
    ) {
        let microphone = file.microphone
        file.microphone = nil
        let next = Result { try RecordingFile(plan, first: frame, microphone: microphone, continuing: file) }
        state = .awaitingFrame
        completing += 1
        let earlier = EarlierFile(file: file, cause: cause)
        do throws(LoopError) {
            if let complete { try complete(earlier) } else { earlierFileCompleted(earlier.complete(), cause) }
        } catch {
            earlierFileCompleted(earlier.complete(), cause)
        }
        do {
            state = .writing(try next.get(), .beginning(Beginning(continuesAt: frame.time)))
        } catch {
            return finish(error)
        }
        take(frame)
    }

    private mutating func earlierFileCompleted(_ outcome: RecordingOutcome, _ cause: RecordingFields.Cause) {
        completing -= 1
        report(.continued(outcome, cause))
        reportOutcome()
    }

    /// Makes the final report, once the earlier files are complete.
    private mutating func reportOutcome() {
        guard completing == 0, let outcome else { return }
        self.outcome = nil
        complete = nil
        report(.finished(outcome))
    }

    // MARK: Sound

    /// Starts the microphone, if the recording has one.
    ///
    /// - Parameter receive: called on the microphone's thread; it passes the event to ``perform(_:)``.
    mutating func listen(receive: @escaping @Sendable (Microphone.Event) -> Void) {
        guard let device = plan.options.microphone else { return }
        let format = RecordingFile.sound
        do throws(LoopError) {
            let microphone = try Microphone(
                device: device, rate: format.rate, channels: format.channels, receive: receive)
            state = .awaitingSound(microphone, [])
        } catch {
            soundFailed(.unavailable("\(error)"))
        }
    }

    private mutating func take(_ block: SoundBlock) {
        // The first block proves that there is sound: the file begins with the first frame.
        if case .awaitingSound(let microphone, let frames) = state { open(with: frames, microphone) }
        switch state {
        case .writing(let file, .beginning), .writing(let file, .begun):
            do throws(MovieError) {
                try file.write(block)
            } catch {
                finish(error)
            }
        case .writing(_, .full), .awaitingSound, .awaitingFrame, .finished: break
        }
    }

    /// The recording goes on without sound, unless the command required sound.
    private mutating func soundFailed(_ error: MicrophoneError) {
        var frames: [RecordedFrame] = []
        switch state {
        case .awaitingSound(_, let waiting): frames = waiting
        case .awaitingFrame: break
        case .writing(let file, _): return file.microphone = nil
        case .finished: return
        }
        if plan.options.requiresSound { return finish(error) }
        state = .awaitingFrame
        open(with: frames, nil)
    }

    // MARK: The end

    /// Completes the file, and makes the final report.
    ///
    /// - Parameter error: why the recording fails.
    private mutating func finish(_ error: (any Error)?) {
        if error == nil, case .awaitingSound(let microphone, let frames) = state {
            open(with: frames, microphone)
        }
        var outcome = RecordingOutcome()
        switch state {
        case .awaitingSound, .awaitingFrame: outcome.error = error.map(Self.words)
        case .writing(let file, _): outcome = file.finish(error.map(Self.words))
        case .finished: return
        }
        state = .finished
        self.outcome = outcome
        reportOutcome()
    }

    private static func words(_ error: any Error) -> CommandError {
        switch error {
        case let error as CommandError: error
        case let error as MovieError: error.forMessages
        case let error as MicrophoneError: CommandError(.device, "There is no sound: \(error)")
        default: CommandError(.device, "The recording can't be made: \(error)")
        }
    }
}
