internal import CameraCore
internal import Cameras
internal import LoopThread
internal import Picture
internal import Sound

/// The thread of one recording, as the loop sees it: frames in, reports out.
final class RecordingThread: ActiveRecording {
    enum Job: Sendable {
        case frame(RecordedFrame)
        case sound(Microphone.Event)
        /// The microphone has had its time: a recording without sound so far goes on without it.
        case soundTimeout
        case finish
    }

    /// How long a recording waits for its sound.
    private static let soundTimeout = Duration.milliseconds(700)

    private let worker: Worker<Job>
    private let reports: Inbox<RecordingReport>
    private let loop: EventLoop
    private var hasFrames = false
    private lazy var soundTimer = loop.timer { [worker] in worker.submit(.soundTimeout) }

    init(
        _ plan: RecordingPlan, on loop: EventLoop, report: @escaping (RecordingReport) -> Void
    ) throws(LoopError) {
        let reports = try Inbox<RecordingReport>()
        (self.reports, self.loop) = (reports, loop)
        worker = try Worker(name: "recording") { jobs in
            var pipeline = RecordingPipeline(plan, jobs) { reports.send($0) }
            pipeline.run()
        }
        reports.attach(to: loop, receive: report)
    }

    deinit {
        worker.abandon()
        reports.detach(from: loop)
    }

    func add(_ frame: Frame, showing view: Region, effect: Effect, at time: Duration, copyWidth: Int?) {
        if !hasFrames { soundTimer.set(after: Self.soundTimeout) }
        hasFrames = true
        worker.submit(
            .frame(
                RecordedFrame(frame: frame, view: view, effect: effect, time: time, copyWidth: copyWidth)))
    }

    func finish() {
        soundTimer.cancel()
        worker.submit(.finish)
    }
}
