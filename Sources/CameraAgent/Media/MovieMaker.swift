package import Cameras
internal import Imaging
package import LoopThread
package import Messages
package import Picture
internal import Sound

/// Where frames become a movie: one thread for each recording, so that neither an encoder nor a disk holds up anybody else.
package final class MovieMaker {
    package struct Plan: Sendable {
        let folder: RecordingFolder
        let maximumFileBytes: Int
        let camera: String
        /// The movie's file name.
        let name: String
        let codec: MovieCodecField
        /// Pixels, even.
        let width: Int
        let height: Int
        /// Frames per second, as the driver says.
        let rate: Double
        /// An ALSA device.
        let microphone: String?
        /// There is to be no movie without sound.
        let needsSound: Bool

        package init(
            folder: RecordingFolder, maximumFileBytes: Int, camera: String, name: String,
            codec: MovieCodecField, width: Int, height: Int, rate: Double, microphone: String?,
            needsSound: Bool
        ) {
            (self.folder, self.maximumFileBytes) = (folder, maximumFileBytes)
            (self.camera, self.name, self.codec) = (camera, name, codec)
            (self.width, self.height, self.rate) = (width, height, rate)
            (self.microphone, self.needsSound) = (microphone, needsSound)
        }
    }

    package enum Report: Sendable {
        /// The first frame is in the file.
        case began(path: String, hasSound: Bool)
        /// A frame is done.
        case took
        /// The file is as large as it may get.
        case full
        case finished(Outcome)
    }

    /// What there is in the end.
    package struct Outcome: Sendable {
        /// Nil: there is no file.
        package var path: String?
        package var encoder: String?
        package var bytes = 0
        package var frames = 0
        package var duration = Duration.zero
        /// What ended it.
        package var error: CommandError?
        /// What went wrong in the end with a file that plays all the same.
        package var trouble: CommandError?
    }

    enum Job: Sendable {
        case frame(Frame, view: Region, effect: Effect, at: Duration)
        case sound(Microphone.Event)
        /// What isn't there by now isn't waited for.
        case patience
        case finish
    }

    /// So long a movie waits for its sound.
    private static let patience = Duration.milliseconds(700)

    private let worker: Worker<Job>
    private let reports: Inbox<Report>
    private let loop: EventLoop
    private var isAwaited = false
    private lazy var patience = loop.timer { [worker] in worker.submit(.patience) }

    package init(_ plan: Plan, on loop: EventLoop, report: @escaping (Report) -> Void) throws(LoopError) {
        let reports = try Inbox<Report>()
        (self.reports, self.loop) = (reports, loop)
        worker = try Worker(name: "movie") { jobs in
            var studio = Studio(plan, jobs) { reports.send($0) }
            studio.run()
        }
        reports.attach(to: loop, receive: report)
    }

    deinit {
        worker.abandon()
        reports.detach(from: loop)
    }

    /// Adds a frame, of which the part in view is shown.
    package func add(_ frame: Frame, showing view: Region, effect: Effect, at time: Duration) {
        if !isAwaited { patience.set(after: Self.patience) }
        isAwaited = true
        worker.submit(.frame(frame, view: view, effect: effect, at: time))
    }

    /// Completes the file; ``Report/finished(_:)`` follows.
    package func finish() {
        patience.cancel()
        worker.submit(.finish)
    }
}
