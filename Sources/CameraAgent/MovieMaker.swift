internal import Cameras
internal import FoundationEssentials
internal import Imaging
internal import LoopThread
internal import Messages
internal import Movies
internal import Picture
internal import Sound

/// Where frames become a movie: one thread for each recording, so that neither an encoder nor a disk holds up anybody else.
final class MovieMaker {
    struct Plan: Sendable {
        let folder: FolderSettings
        /// The cameras whose folders these are.
        let cameras: [String]
        /// Files that others are writing now.
        let inUse: [String]
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
    }

    enum Report: Sendable {
        /// The first frame is in the file.
        case began(path: String, hasSound: Bool)
        /// A frame is done.
        case took
        /// The file is as large as it may get.
        case full
        case finished(Outcome)
    }

    /// What there is in the end.
    struct Outcome: Sendable {
        /// Nil: there is no file.
        var path: String?
        var encoder: String?
        var bytes = 0
        var frames = 0
        var duration = Duration.zero
        var error: CommandError?
    }

    enum Job: Sendable {
        case frame(Frame, view: Region, effect: Effect, at: Duration)
        case sound(Microphone.Event)
        case finish
    }

    private let worker: Worker<Job>
    private let reports: Inbox<Report>
    private let loop: EventLoop

    init(_ plan: Plan, on loop: EventLoop, report: @escaping (Report) -> Void) throws(LoopError) {
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
    func add(_ frame: Frame, showing view: Region, effect: Effect, at time: Duration) {
        worker.submit(.frame(frame, view: view, effect: effect, at: time))
    }

    /// Completes the file; ``Report/finished(_:)`` follows.
    func finish() { worker.submit(.finish) }
}
