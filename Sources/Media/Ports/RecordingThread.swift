internal import Base
internal import Cameras
internal import Contract
internal import Core

/// The thread of one recording, as the loop sees it: frames in, reports out. It exists until the recording is
/// released.
final class RecordingThread: ActiveRecording {
    enum Job: Sendable {
        case frame(RecordedFrame)
        case sound(Microphone.Event)
        /// The microphone has had its time: a recording without sound so far goes on without it.
        case soundTimeout
        /// An earlier file of the recording is complete.
        case earlierFileCompleted(RecordingOutcome, RecordingFields.Cause)
        case finish
    }

    /// How long a recording waits for its sound.
    private static let soundTimeout = Duration.milliseconds(700)

    private let worker: SerialWorker<RecordingPipeline>
    private let reports: Inbox<RecordingReport>
    private let loop: EventLoop
    private let finishing: () -> Void
    private var hasFrames = false
    private lazy var soundTimer = loop.timer { [weak self] in self?.submit(.soundTimeout) }

    /// - Parameter finishing: called when the file begins to be completed at the owner's request.
    init(
        _ plan: RecordingPlan, on loop: EventLoop, finishing: @escaping () -> Void,
        report: @escaping (RecordingReport) -> Void
    ) throws(LoopError) {
        let reports = try Inbox<RecordingReport>()
        (self.reports, self.loop, self.finishing) = (reports, loop, finishing)
        worker = try SerialWorker(
            name: "recording", on: loop, idleTime: nil,
            tools: { RecordingPipeline(plan) { reports.send($0) } },
            // The file is completed after a release too.
            release: { $0.perform(.finish) })
        reports.attach(to: loop, receive: report)
        let submit = worker.submit
        try submit { pipeline in
            pipeline.completeEarlierFiles { file throws(LoopError) in
                try file.completeElsewhere { outcome in
                    try? submit { $0.perform(.earlierFileCompleted(outcome, file.cause)) }
                }
            }
            pipeline.listen { event in try? submit { $0.perform(.sound(event)) } }
        }
    }

    deinit { reports.detach(from: loop) }

    func add(_ frame: Frame, showing view: Region, effect: Effect, at time: Duration, copyWidth: Int?) {
        if !hasFrames { soundTimer.set(after: Self.soundTimeout) }
        hasFrames = true
        submit(
            .frame(
                RecordedFrame(frame: frame, view: view, effect: effect, time: time, copyWidth: copyWidth)))
    }

    func finish() {
        soundTimer.cancel()
        finishing()
        submit(.finish)
    }

    /// The thread is there since `init`: none has to be started, which could fail.
    private func submit(_ job: Job) {
        try? worker.submit { $0.perform(job) }
    }
}
