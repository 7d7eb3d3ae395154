internal import CLinux
internal import CameraCore
internal import Cameras
internal import Imaging
internal import LoopThread
internal import Messages
internal import Movies
internal import Picture
internal import Sound

/// The work of a recording's thread: it opens the file and the microphone, encodes the part of each frame
/// that is in view, and completes the file.
struct RecordingPipeline {
    private static let sound = SoundFormat(rate: 48_000, channels: 1)
    /// Damaged frames with which a recording may begin.
    private static let maxDamagedFrames = 5
    /// A frame, and the part of it that is shown.
    private struct Shot {
        let frame: Frame
        let view: Region
        let effect: Effect
        let time: Duration
    }

    private let plan: RecordingPlan
    private let jobs: JobQueue<RecordingThread.Job>
    private let report: (RecordingReport) -> Void
    private var writer: MovieWriter?
    private var microphone: Microphone?
    /// Frames that wait until it is known whether there is sound.
    private var early: [Shot] = []
    private var frames: FrameMaker?
    private var photos: PhotoMaker?
    /// When the first frame was exposed.
    private var start: ContinuousClock.Instant?
    /// The file's path, once room is reserved for it.
    private var path: String?
    private var reserved = 0
    private var outcome = RecordingOutcome()
    /// Damaged frames in a row.
    private var damaged = 0
    private var hasBegun = false
    private var isOver = false
    private var isFull = false

    init(
        _ plan: RecordingPlan, _ jobs: JobQueue<RecordingThread.Job>,
        report: @escaping (RecordingReport) -> Void
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
            case .soundTimeout:
                if writer == nil { microphoneFailed(.lost("the microphone delivers no sound")) }
            case .finish: finish(nil)
            }
        }
        // The recording was released; its file is completed nevertheless.
        finish(nil)
    }

    // MARK: Pictures

    private mutating func take(_ shot: Shot) {
        guard writer == nil, microphone != nil, !isOver else { return add(shot) }
        early.append(shot)
    }

    private mutating func add(_ shot: Shot) {
        defer { report(.encoded) }
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
            // One frame is damaged; the next may be intact.
            damaged += 1
            if !hasBegun && damaged >= Self.maxDamagedFrames { finish(error) }
        } catch {
            finish(error)
        }
    }

    /// Older recordings are deleted as this one grows, not before.
    private mutating func makeRoom(for writer: MovieWriter) throws {
        guard let path, writer.bytesToCome > reserved else { return }
        reserved = writer.bytesToCome + plan.folder.step
        try plan.folder.reserve(reserved, for: path)
    }

    private mutating func write(_ shot: Shot, to writer: MovieWriter) throws {
        switch plan.options.codec {
        case .h264:
            if frames == nil { frames = try FrameMaker() }
            try frames?.withPlanes(
                of: shot.frame.picture, showing: shot.view, width: plan.options.width,
                height: plan.options.height,
                sampling: .yuv420,
                effect: shot.effect
            ) { planes in
                Result { () throws(MovieError) in try writer.write(planes: planes, at: shot.time) }
            }.get()
        case .mjpeg:
            if photos == nil { photos = try PhotoMaker() }
            try photos?.withJPEG(
                of: shot.frame.picture, showing: shot.view, width: plan.options.width,
                height: plan.options.height,
                effect: shot.effect
            ) { photo in
                Result { () throws(MovieError) in try writer.write(jpeg: photo.bytes, at: shot.time) }
            }.get()
        }
    }

    private mutating func open(at time: ContinuousClock.Instant) throws -> MovieWriter {
        start = time
        let path = try plan.folder.begin(camera: plan.options.camera, name: plan.name)
        (self.path, reserved) = (path, plan.folder.step)
        let writer = try MovieWriter(
            path: path,
            format: MovieFormat(
                codec: plan.options.codec.forMovies, width: plan.options.width, height: plan.options.height,
                rate: plan.options.rate, sound: microphone == nil ? nil : Self.sound))
        outcome.path = path
        return writer
    }

    // MARK: Sound

    private mutating func listen() {
        guard let device = plan.options.microphone else { return }
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
        // The first block proves that there is sound: the file begins with the first frame.
        if writer == nil { addEarly() }
        guard let writer, let start else { return }
        do {
            try writer.write(sound: block.samples, at: start.duration(to: block.time))
        } catch {
            finish(error)
        }
    }

    /// The recording goes on without sound, unless the command required sound.
    private mutating func microphoneFailed(_ error: MicrophoneError) {
        microphone = nil
        if plan.options.requiresSound && writer == nil { return finish(error) }
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
            outcome.warning = result.untidiness?.forMessages
            checkFile()
        }
        writer = nil
        if let path { plan.folder.close(path) }
        report(.finished(outcome))
    }

    /// Another program may have deleted the file meanwhile.
    private mutating func checkFile() {
        guard let path = outcome.path else { return }
        var (bytes, made): (Int64, Int64) = (0, 0)
        if clinux_stat(path, &bytes, &made) == 0 { return }
        outcome.path = nil
        if outcome.bytes == 0 { return }
        outcome.bytes = 0
        outcome.error = outcome.error ?? CommandError(.device, "\(path): the file doesn't exist any more.")
    }

    private static func words(_ error: any Error) -> CommandError {
        switch error {
        case let error as MediaFolder.Failure: error.forMessages
        case let error as MovieError: error.forMessages
        case let error as MicrophoneError: CommandError(.device, "There is no sound: \(error)")
        default: CommandError(.device, "The recording can't be made: \(error)")
        }
    }
}

extension MovieError {
    fileprivate var forMessages: CommandError {
        switch self {
        case .full(let words): CommandError(.storageFull, "There is no room for the recording: \(words)")
        case .unsupported(let words): CommandError(.unsupported, "The recording can't be made: \(words)")
        case .missing(let words), .disk(let words), .codec(let words):
            CommandError(.device, "The recording can't be made: \(words)")
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
