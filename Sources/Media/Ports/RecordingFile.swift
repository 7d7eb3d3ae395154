internal import Cameras
internal import Contract
internal import Core
internal import Settings

/// A frame of a recording, and the part of it that is shown.
struct RecordedFrame {
    let frame: Frame
    let view: Region
    let effect: Effect
    /// Since the first frame.
    let time: Duration
    /// The width of the reduced copy that is needed if the frame is decoded; nil: none is.
    let copyWidth: Int?

    /// When the first frame of the recording was exposed.
    var recordingStart: ContinuousClock.Instant { frame.exposedAt.advanced(by: .zero - time) }
}

/// The file of a recording while it is written. For the recording's thread.
final class RecordingFile {
    /// Makes the pictures that a codec takes.
    private enum PictureMaker {
        case h264(FrameMaker)
        case mjpeg(PhotoMaker)
        /// The camera's own video is stored.
        case passed(PassedVideo)

        /// - Parameter earlier: the file that is continued.
        init(
            _ plan: RecordingPlan, _ first: RecordedFrame, after earlier: RecordingFile?
        ) throws(ImagingError) {
            if plan.passes(first),
                let video = PassedVideo.beginning(
                    with: first, isFirstFile: earlier == nil, after: earlier?.maker.passedVideo)
            {
                self = .passed(video)
                return
            }
            self =
                switch plan.options.codec {
                case .h264: .h264(try FrameMaker())
                case .mjpeg: .mjpeg(try PhotoMaker())
                }
        }

        var passedVideo: PassedVideo? { if case .passed(let video) = self { video } else { nil } }

        var decodings: Int {
            switch self {
            case .h264(let maker): maker.decodings
            case .mjpeg(let maker): maker.decodings
            case .passed: 0
            }
        }
    }

    static let sound = SoundFormat(rate: 48_000, channels: 1)

    let path: String
    /// Nil: no further sound comes.
    var microphone: Microphone?
    private let plan: RecordingPlan
    private let maker: PictureMaker
    private let decoder: FrameDecoder
    private let writer: MovieWriter
    /// When the first frame was exposed.
    private let start: ContinuousClock.Instant
    /// The bytes for which the folder has room.
    private var reserved: Int

    /// Makes the file. It has a sound track if there is a microphone.
    ///
    /// - Parameters:
    ///   - first: the first frame of the file.
    ///   - microphone: nil: the file is silent.
    ///   - earlier: the file that this one continues; nil: the recording begins.
    /// - Throws: `ImagingError`, `MovieError` or `CommandError`; then there is no file.
    init(
        _ plan: RecordingPlan, first: RecordedFrame, microphone: Microphone?,
        continuing earlier: RecordingFile? = nil
    ) throws {
        let options = plan.options
        decoder = earlier?.decoder ?? FrameDecoder(plan.decoders)
        maker = try PictureMaker(plan, first, after: earlier)
        let name = earlier == nil ? plan.name : plan.name(at: first.time)
        let path = try plan.folder.begin(camera: options.camera, name: name)
        do {
            writer = try MovieWriter(
                path: path,
                format: MovieFormat(
                    codec: options.codec, width: options.width, height: options.height, rate: options.rate,
                    sound: microphone == nil ? nil : Self.sound,
                    encoding: earlier?.encoderHasFailed == true
                        ? options.encoding.withSoftware : options.encoding),
                hardware: plan.hardware)
        } catch {
            plan.folder.close(path)
            throw error
        }
        (self.plan, self.path, reserved) = (plan, path, plan.folder.step)
        start = first.recordingStart
        self.microphone = microphone
    }

    /// Frames that were decoded.
    var decodings: Int { maker.decodings }

    /// Whether a frame is in the file. An encoder may hold the first ones for a while.
    var hasFrames: Bool { writer.frames > 0 }

    /// Whether the file would exceed its maximum size with one more frame.
    var isFull: Bool { writer.bytesToCome >= plan.maximumFileBytes }

    /// A hardware encoder has failed: the next file has x264.
    var encoderHasFailed = false
    /// The file as it is reported when it has its first frame.
    var beginning: RecordingFileStart {
        let (width, height) = writer.pictureSize
        return RecordingFileStart(
            path: path, hasSound: microphone != nil, encoder: writer.encoder, source: source, width: width,
            height: height)
    }

    /// What makes its video; nil: it has JPEGs.
    private var source: RecordingSource? {
        switch maker {
        case .passed: .camera
        case .h264: .encoder
        case .mjpeg: nil
        }
    }

    /// Why a frame can't be in this file; nil: it can.
    func reasonToContinue(before frame: RecordedFrame) -> RecordingFields.Cause? {
        guard let video = maker.passedVideo else { return nil }
        if let cause = plan.options.changeOfPicture(showing: frame.view, effect: frame.effect) {
            return cause
        }
        guard case .h264(let picture) = frame.frame.picture, plan.passes(frame) else { return .format }
        return video.units(of: picture).allSatisfy { writer.takes(accessUnit: $0.bytes) } ? nil : .format
    }

    /// - Parameter reduced: gets the reduced copy of a frame that was decoded, before it is encoded.
    /// - Throws: `ImagingError` when the frame is damaged: the next may be intact. `MovieError` or
    ///   `CommandError` when nothing can be written any more.
    func write(_ frame: RecordedFrame, reduced: @escaping (PlanarPicture) -> Void) throws {
        try makeRoom()
        let options = plan.options
        if let video = maker.passedVideo { return try pass(frame, video) }
        let picture = try decoder.decoded(frame.frame.picture)
        let copy = try frame.copyWidth.map { width throws(ImagingError) in
            try ReducedCopy(showing: frame.view, width: width, use: reduced)
        }
        switch maker {
        case .h264(let maker):
            try maker.withPlanes(
                of: picture, showing: frame.view, width: options.width, height: options.height,
                sampling: .yuv420, effect: frame.effect, beside: copy
            ) { planes in
                Result { () throws(MovieError) in try writer.write(planes: planes, at: frame.time) }
            }.get()
        case .mjpeg(let maker):
            try maker.withJPEG(
                of: picture, showing: frame.view, width: options.width, height: options.height,
                quality: options.encoding.quality, effect: frame.effect, beside: copy
            ) { photo in
                Result { () throws(MovieError) in try writer.write(jpeg: photo.bytes, at: frame.time) }
            }.get()
        case .passed: break
        }
    }

    /// Stores the access units of the camera up to a frame.
    private func pass(_ frame: RecordedFrame, _ video: PassedVideo) throws(MovieError) {
        guard case .h264(let picture) = frame.frame.picture else { return }
        for unit in video.units(of: picture) {
            try writer.write(
                accessUnit: unit.bytes, isKey: unit.isKey, at: start.duration(to: unit.exposedAt))
            video.wrote(unit, of: picture.stream)
        }
    }

    func write(_ block: SoundBlock) throws(MovieError) {
        try writer.write(sound: block.samples, at: start.duration(to: block.time))
    }

    /// Older recordings are deleted as this one grows, not before.
    private func makeRoom() throws(CommandError) {
        guard writer.bytesToCome > reserved else { return }
        reserved = writer.bytesToCome + plan.folder.step
        try plan.folder.reserve(reserved, for: path)
    }

    /// Completes the file.
    ///
    /// - Parameter error: why the recording ends, if it failed.
    func finish(_ error: CommandError?) -> RecordingOutcome {
        microphone = nil
        let result = writer.finish()
        var outcome = RecordingOutcome()
        (outcome.path, outcome.encoder) = (path, result.encoder)
        (outcome.bytes, outcome.frames, outcome.duration) = (result.bytes, result.frames, result.duration)
        outcome.error = error ?? result.failure?.forMessages
        outcome.warning = result.finalizationError?.forMessages
        check(&outcome)
        plan.folder.close(path)
        return outcome
    }

    /// A file without a frame was deleted. Another program may have deleted one with frames.
    private func check(_ outcome: inout RecordingOutcome) {
        if MediaFolder.stat(path) != nil { return }
        outcome.path = nil
        if outcome.bytes == 0 { return }
        outcome.bytes = 0
        outcome.error = outcome.error ?? CommandError(.device, "\(path): the file no longer exists.")
    }
}

extension RecordingEncoding {
    fileprivate var withSoftware: RecordingEncoding {
        var encoding = self
        encoding.encoder = .software
        return encoding
    }
}

extension RecordingPlan {
    /// Whether the camera's own video is stored for a frame.
    func passes(_ frame: RecordedFrame) -> Bool {
        options.passes(frame.frame, showing: frame.view, effect: frame.effect)
    }
}

extension MovieError {
    var forMessages: CommandError {
        switch self {
        case .full(let words): CommandError(.storageFull, "There is no room for the recording: \(words)")
        case .unsupported(let words): CommandError(.unsupported, "The recording can't be made: \(words)")
        case .missing(let words), .disk(let words), .codec(let words), .encoder(let words):
            CommandError(.device, "The recording can't be made: \(words)")
        }
    }
}
