internal import Cameras
internal import Imaging
internal import LoopThread
internal import Messages
internal import Movies
internal import Picture

/// What a ``MovieMaker``'s thread does: it opens the file and the microphone, makes of each frame what is in view, and completes the file.
struct Studio {
    private static let sound = SoundFormat(rate: 48_000, channels: 1)
    /// JPEG quality of a movie's frames that aren't the camera's own.
    private static let quality = 90
    /// What stays free of a file's room, for what is written at its end.
    private static let reserve = 64 << 10

    private let plan: MovieMaker.Plan
    private let jobs: JobQueue<MovieMaker.Job>
    private let report: (MovieMaker.Report) -> Void
    private var writer: MovieWriter?
    private var microphone: Microphone?
    private let frames = FrameMaker()
    private var photos: PhotoMaker?
    /// The time of the movie's first frame.
    private var start: ContinuousClock.Instant?
    private var outcome = MovieMaker.Outcome()
    private var isOver = false
    private var isFull = false

    init(
        _ plan: MovieMaker.Plan, _ jobs: JobQueue<MovieMaker.Job>,
        report: @escaping (MovieMaker.Report) -> Void
    ) {
        (self.plan, self.jobs, self.report) = (plan, jobs, report)
    }

    mutating func run() {
        while let job = jobs.next() {
            switch job {
            case .frame(let frame, let view, let effect, let time):
                if !isOver && !isFull { add(frame, view, effect, time) }
                report(.took)
            case .sound(let block): if !isOver && !isFull { add(block) }
            case .finish: finish(nil)
            }
        }
        // Nobody waits any more; the file is completed all the same.
        finish(nil)
    }

    private mutating func add(_ frame: Frame, _ view: Region, _ effect: Effect, _ time: Duration) {
        do {
            let isFirst = writer == nil
            let writer = try writer ?? open(at: frame.exposedAt)
            self.writer = writer
            try write(frame, view, effect, time, to: writer)
            if isFirst { report(.began(path: outcome.path ?? "", hasSound: microphone != nil)) }
            if writer.bytes + Self.reserve >= plan.maximumFileBytes {
                isFull = true
                report(.full)
            }
        } catch is ImagingError {
            // One frame that is damaged; the next may be sound.
        } catch {
            finish(error)
        }
    }

    private mutating func write(
        _ frame: Frame, _ view: Region, _ effect: Effect, _ time: Duration, to writer: MovieWriter
    ) throws {
        switch plan.codec {
        case .h264:
            try frames.withPlanes(
                of: frame.picture, showing: view, width: plan.width, height: plan.height, sampling: .yuv420,
                effect: effect
            ) { planes in
                Result { () throws(MovieError) in try writer.write(planes: planes, at: time) }
            }.get()
        case .mjpeg:
            if photos == nil { photos = try PhotoMaker() }
            try photos?.withJPEG(
                of: frame.picture, showing: view, width: plan.width, height: plan.height, effect: effect
            ) { photo in
                Result { () throws(MovieError) in try writer.write(jpeg: photo.bytes, at: time) }
            }.get()
        }
    }

    private mutating func open(at time: ContinuousClock.Instant) throws -> MovieWriter {
        start = time
        var folder = MediaFolder(plan.folder, of: .recordings, cameras: plan.cameras)
        let path = try folder.place(
            for: min(plan.maximumFileBytes, plan.folder.maximumBytes), camera: plan.camera, name: plan.name,
            inUse: plan.inUse)
        try openMicrophone()
        let writer = try MovieWriter(
            path: path,
            format: MovieFormat(
                codec: plan.codec == .h264 ? .h264 : .mjpeg, width: plan.width, height: plan.height,
                rate: plan.rate, sound: microphone == nil ? nil : Self.sound))
        outcome.path = path
        return writer
    }

    /// A recording goes on without sound where that wasn't asked for by name.
    private mutating func openMicrophone() throws {
        guard let device = plan.microphone else { return }
        do {
            microphone = try Microphone(device: device, format: Self.sound) { [jobs] in
                jobs.append(.sound($0))
            }
        } catch  where !plan.needsSound {}
    }

    private mutating func add(_ block: Microphone.Block) {
        guard let writer, let start else { return }
        do {
            try writer.write(sound: block.samples, at: start.duration(to: block.time))
        } catch {
            finish(error)
        }
    }

    private mutating func finish(_ error: (any Error)?) {
        guard !isOver else { return }
        isOver = true
        microphone = nil
        outcome.error = error.map(Self.words)
        if let result = writer?.finish() {
            if result.bytes == 0 { outcome.path = nil }
            (outcome.bytes, outcome.frames, outcome.duration) = (result.bytes, result.frames, result.duration)
            outcome.encoder = result.encoder
            outcome.error = outcome.error ?? result.trouble?.forMessages
        }
        writer = nil
        report(.finished(outcome))
    }

    private static func words(_ error: any Error) -> CommandError {
        switch error {
        case let error as MediaFolder.Failure: error.forMessages
        case let error as MovieError: error.forMessages
        default: CommandError(.device, "The movie can't be made: \(error)")
        }
    }
}

extension MovieError {
    fileprivate var forMessages: CommandError {
        switch self {
        case .full(let words): CommandError(.storageFull, "There is no room for the recording: \(words)")
        case .unsupported(let words): CommandError(.unsupported, "The movie can't be made: \(words)")
        case .missing(let words), .disk(let words), .codec(let words):
            CommandError(.device, "The movie can't be made: \(words)")
        }
    }
}
