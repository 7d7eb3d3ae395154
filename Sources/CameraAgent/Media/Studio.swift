internal import CLinux
internal import Cameras
internal import Imaging
internal import LoopThread
internal import Messages
internal import Movies
internal import Picture
internal import Sound

/// What a ``MovieMaker``'s thread does: it opens the file and the microphone, makes of each frame what is in view, and completes the file.
struct Studio {
    private static let sound = SoundFormat(rate: 48_000, channels: 1)
    /// So many damaged frames a movie may begin with.
    private static let damagedAtMost = 5
    /// A frame, and what is to be seen of it.
    private struct Shot {
        let frame: Frame
        let view: Region
        let effect: Effect
        let time: Duration
    }

    private let plan: MovieMaker.Plan
    private let jobs: JobQueue<MovieMaker.Job>
    private let report: (MovieMaker.Report) -> Void
    private var writer: MovieWriter?
    private var microphone: Microphone?
    /// Frames that wait until it is known whether there is sound.
    private var early: [Shot] = []
    private var frames: FrameMaker?
    private var photos: PhotoMaker?
    /// The time of the movie's first frame.
    private var start: ContinuousClock.Instant?
    /// Where there is room for the file, from then on.
    private var path: String?
    private var reserved = 0
    private var outcome = MovieMaker.Outcome()
    /// Damaged frames in a row.
    private var damaged = 0
    private var hasBegun = false
    private var isOver = false
    private var isFull = false

    init(
        _ plan: MovieMaker.Plan, _ jobs: JobQueue<MovieMaker.Job>,
        report: @escaping (MovieMaker.Report) -> Void
    ) {
        (self.plan, self.jobs, self.report) = (plan, jobs, report)
    }

    mutating func run() {
        listen()
        while let job = jobs.next() {
            switch job {
            case .frame(let frame, let view, let effect, let time):
                take(Shot(frame: frame, view: view, effect: effect, time: time))
            case .sound(.block(let block)): take(block)
            case .sound(.failed(let error)): microphoneFailed(error)
            case .patience:
                if writer == nil { microphoneFailed(.lost("the microphone gives no sound")) }
            case .finish: finish(nil)
            }
        }
        // Nobody waits any more; the file is completed all the same.
        finish(nil)
    }

    // MARK: Pictures

    private mutating func take(_ shot: Shot) {
        guard writer == nil, microphone != nil, !isOver else { return add(shot) }
        early.append(shot)
    }

    private mutating func add(_ shot: Shot) {
        defer { report(.took) }
        if isOver || isFull { return }
        do {
            let writer = try writer ?? open(at: shot.frame.exposedAt)
            self.writer = writer
            try makeRoom(for: writer)
            try write(shot, to: writer)
            damaged = 0
            // An encoder may hold the first frame for a while.
            if !hasBegun && writer.frames > 0 {
                hasBegun = true
                report(.began(path: outcome.path ?? "", hasSound: microphone != nil))
            }
            if writer.bytesToCome >= plan.maximumFileBytes {
                isFull = true
                report(.full)
            }
        } catch let error as ImagingError {
            // One frame that is damaged; the next may be sound.
            damaged += 1
            if !hasBegun && damaged >= Self.damagedAtMost { finish(error) }
        } catch {
            finish(error)
        }
    }

    /// Other recordings go as this one grows, not before.
    private mutating func makeRoom(for writer: MovieWriter) throws {
        guard let path, writer.bytesToCome > reserved else { return }
        reserved = writer.bytesToCome + plan.folder.step
        try plan.folder.reserve(reserved, for: path)
    }

    private mutating func write(_ shot: Shot, to writer: MovieWriter) throws {
        switch plan.codec {
        case .h264:
            if frames == nil { frames = try FrameMaker() }
            try frames?.withPlanes(
                of: shot.frame.picture, showing: shot.view, width: plan.width, height: plan.height,
                sampling: .yuv420,
                effect: shot.effect
            ) { planes in
                Result { () throws(MovieError) in try writer.write(planes: planes, at: shot.time) }
            }.get()
        case .mjpeg:
            if photos == nil { photos = try PhotoMaker() }
            try photos?.withJPEG(
                of: shot.frame.picture, showing: shot.view, width: plan.width, height: plan.height,
                effect: shot.effect
            ) { photo in
                Result { () throws(MovieError) in try writer.write(jpeg: photo.bytes, at: shot.time) }
            }.get()
        }
    }

    private mutating func open(at time: ContinuousClock.Instant) throws -> MovieWriter {
        start = time
        let path = try plan.folder.begin(camera: plan.camera, name: plan.name)
        (self.path, reserved) = (path, plan.folder.step)
        let writer = try MovieWriter(
            path: path,
            format: MovieFormat(
                codec: plan.codec.forMovies, width: plan.width, height: plan.height,
                rate: plan.rate, sound: microphone == nil ? nil : Self.sound))
        outcome.path = path
        return writer
    }

    // MARK: Sound

    private mutating func listen() {
        guard let device = plan.microphone else { return }
        do throws(LoopError) {
            microphone = try Microphone(device: device, rate: Self.sound.rate, channels: Self.sound.channels)
            {
                [jobs] in jobs.append(.sound($0))
            }
        } catch {
            microphoneFailed(.unavailable("\(error)"))
        }
    }

    private mutating func take(_ block: SoundBlock) {
        if isOver || isFull { return }
        // What is heard says that there is sound: the movie begins with the first frame.
        if writer == nil { addEarly() }
        guard let writer, let start else { return }
        do {
            try writer.write(sound: block.samples, at: start.duration(to: block.time))
        } catch {
            finish(error)
        }
    }

    /// A recording goes on without sound where that wasn't asked for by name.
    private mutating func microphoneFailed(_ error: MicrophoneError) {
        microphone = nil
        if plan.needsSound && writer == nil { return finish(error) }
        addEarly()
    }

    private mutating func addEarly() {
        let shots = early
        early = []
        for shot in shots { add(shot) }
    }

    private mutating func finish(_ error: (any Error)?) {
        guard !isOver else { return }
        if error == nil && writer == nil { addEarly() }
        isOver = true
        microphone = nil
        outcome.error = error.map(Self.words)
        if let result = writer?.finish() {
            (outcome.bytes, outcome.frames, outcome.duration) = (result.bytes, result.frames, result.duration)
            outcome.encoder = result.encoder
            outcome.error = outcome.error ?? result.trouble?.forMessages
            outcome.trouble = result.untidiness?.forMessages
            checkFile()
        }
        writer = nil
        if let path { plan.folder.close(path) }
        report(.finished(outcome))
    }

    /// Somebody may have taken it away meanwhile.
    private mutating func checkFile() {
        guard let path = outcome.path else { return }
        var (bytes, made): (Int64, Int64) = (0, 0)
        if clinux_stat(path, &bytes, &made) == 0 { return }
        outcome.path = nil
        if outcome.bytes == 0 { return }
        outcome.bytes = 0
        outcome.error = outcome.error ?? CommandError(.device, "\(path): the file isn't there any more.")
    }

    private static func words(_ error: any Error) -> CommandError {
        switch error {
        case let error as MediaFolder.Failure: error.forMessages
        case let error as MovieError: error.forMessages
        case let error as MicrophoneError: CommandError(.device, "There is no sound: \(error)")
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

extension MovieCodecField {
    var forMovies: MovieCodec {
        switch self {
        case .h264: .h264
        case .mjpeg: .mjpeg
        }
    }
}
