internal import Cameras
internal import Contract
internal import FoundationEssentials
internal import Settings
internal import ZoomModel

/// A recording under way: its request, and the count of its frames.
final class RecordingInProgress {
    /// Requests for a frame that may fail in a row.
    private static let maxFailures = 3

    let number: Int
    let encoder: any ActiveRecording
    /// On the mode: it isn't changed while frames are recorded.
    let claim: ModeClaim
    let options: RecordingOptions
    /// After this duration it ends.
    let maximum: Duration
    /// From when on frames are requested.
    var requestedAt: ContinuousClock.Instant
    let origin: Origin
    /// The sound of the remote button that started it.
    let sound: ShutterSound?
    var hasSound: Bool { files.last?.start.hasSound ?? false }
    /// The request that is answered when the first frame is in the file.
    var starter: Request?
    /// The present file; nil: no frame is in it.
    var path: String? { files.last?.start.path }
    /// The reason of the end; nil: frames are recorded.
    var ending: (reason: RecordingFields.Reason, error: CommandError?)?
    /// When the first frame was exposed.
    private(set) var start: ContinuousClock.Instant?
    private var lastFrame: Int?
    /// Whether that one was the camera's H.264: the numbers of another stream begin anew.
    private var lastWasVideo: Bool?
    /// The files of the recording that have a frame, in their order, and how many frames the camera had made
    /// before each of them.
    private var files: [(start: RecordingFileStart, framesBefore: Int)] = []
    /// Frames that the camera had made when the last file was complete that another one was to follow.
    private var framesBeforeNextFile = 0
    /// From the start to the key frame with which the camera's own video begins; nil: it isn't stored.
    private(set) var keyFrameDelay: Duration?
    /// No key frame came in time: the pictures are encoded.
    private(set) var lacksKeyFrame = false
    /// Frames that the encoder was given, and those that the driver lost or that were left out.
    private var counts = (given: 0, lost: 0)
    /// When the frames were exposed that the encoder hasn't encoded yet, in their order.
    private var inEncoder: [ContinuousClock.Instant] = []
    var framesInEncoder: Int { inEncoder.count }
    /// Requests for a frame that failed, one after the other.
    private var failures = 0

    init(
        number: Int, encoder: any ActiveRecording, claim: ModeClaim, options: RecordingOptions,
        maximum: Duration, requestedAt: ContinuousClock.Instant, origin: Origin, sound: ShutterSound?
    ) {
        (self.number, self.encoder, self.claim, self.options) = (number, encoder, claim, options)
        (self.maximum, self.requestedAt) = (maximum, requestedAt)
        (self.origin, self.sound) = (origin, sound)
    }

    /// The client and the request that started it.
    var envelope: Envelope { Envelope(id: origin.id, client: origin.client) }

    /// What it does, as its state has it.
    var phase: RecordingState.Phase {
        if ending != nil { return .finishing }
        return path == nil ? .starting : .recording
    }

    /// A file of the recording has its first frame.
    func fileBegan(_ file: RecordingFileStart) {
        // The frame that begins it isn't done yet.
        files.append((file, files.isEmpty ? 0 : framesDone))
    }

    /// Frames that the camera made, but for those that the encoder still has.
    private var framesDone: Int { counts.lost + counts.given - inEncoder.count }

    /// Pixels of the pictures in a file.
    func size(of path: String?) -> (width: Int, height: Int) {
        files.last { $0.start.path == path }.map { ($0.start.width, $0.start.height) }
            ?? (options.width, options.height)
    }

    /// Where the recording of a camera's own video begins. Returns when its first frame was exposed; nil: the
    /// recording waits for a key frame.
    func begin(with frame: Frame, _ video: H264Picture) -> ContinuousClock.Instant? {
        failures = 0
        switch KeyFrameWait.beginning(with: frame, video, after: requestedAt) {
        case .keyFrame(let number, let exposedAt):
            keyFrameDelay = requestedAt.duration(to: exposedAt)
            // The frames after it are in the file too.
            lastFrame = number - 1
            return exposedAt
        case .encoded:
            lacksKeyFrame = true
            return frame.exposedAt
        case nil: return nil
        }
    }

    /// Counts a request for a frame that failed. Returns whether it is the last one.
    func requestFailed(at now: ContinuousClock.Instant) -> Bool {
        failures += 1
        if failures >= Self.maxFailures { return true }
        return start == nil && requestedAt.duration(to: now) >= KeyFrameWait.longestStart
    }

    /// The error with which the recording ends, with the reason why pictures were decoded at all.
    func explained(_ error: CommandError?) -> CommandError? {
        guard lacksKeyFrame, let error, files.isEmpty else { return error }
        let seconds = Int(KeyFrameWait.limit / .seconds(1))
        return CommandError(
            error.code,
            "No key frame of H.264 came within \(seconds) s, and nothing could be encoded instead: "
                + error.message)
    }

    /// Counts a frame. Returns whether the encoder has room for it.
    func admit(_ frame: Frame, start: ContinuousClock.Instant, maxInEncoder: Int) -> Bool {
        self.start = start
        failures = 0
        let isVideo = if case .h264 = frame.picture { true } else { false }
        if let lastWasVideo, lastWasVideo != isVideo { lastFrame = nil }
        lastWasVideo = isVideo
        if let lastFrame, frame.number > lastFrame { counts.lost += frame.number - lastFrame - 1 }
        lastFrame = frame.number
        guard inEncoder.count < maxInEncoder else {
            counts.lost += 1
            return false
        }
        inEncoder.append(frame.exposedAt)
        counts.given += 1
        return true
    }

    /// Takes out the oldest frame that the encoder has: it is done. Returns when it was exposed.
    func frameEncoded() -> ContinuousClock.Instant? { inEncoder.isEmpty ? nil : inEncoder.removeFirst() }

    /// The recording as it is known while its file is written: what a crash leaves of it.
    func interruptedFields(_ path: String) -> RecordingFields {
        var outcome = RecordingOutcome()
        outcome.path = path
        var fields = fields(outcome, reason: .crash, error: nil)
        fields.lost = 0
        return fields
    }

    /// The recording as its state, its event and its answer have it.
    func fields(
        _ outcome: RecordingOutcome, reason: RecordingFields.Reason, error: CommandError?
    ) -> RecordingFields {
        // A frame that wasn't requested is in the file all the same, if the camera's own video is stored.
        let lost = framesMade(for: outcome.path) - outcome.frames
        let size = size(of: outcome.path)
        var fields = RecordingFields(
            path: outcome.path, codec: options.codec, encoder: outcome.encoder, width: size.width,
            height: size.height, duration: outcome.duration / .seconds(1), bytes: outcome.bytes,
            frames: outcome.frames, lost: max(0, lost), audio: hasSound,
            startedAt: Timestamp.text(options.startedAt), reason: reason, error: error)
        (fields.earlier, fields.keyFrameDelay) = beginning(of: outcome.path)
        fields.source = source(of: outcome.path)
        return fields
    }

    /// What makes the video of a file; nil: it has JPEGs, or there is no file.
    func source(of path: String?) -> RecordingSource? { files.first { $0.start.path == path }?.start.source }

    /// The files before one of the recording; the delay of the first one.
    ///
    /// - Parameter path: nil: a file that has no frame, and so is none.
    func beginning(of path: String?) -> (earlier: [String]?, keyFrameDelay: Double?) {
        let before = files.map(\.start.path).prefix { $0 != path }
        if !before.isEmpty { return (Array(before), nil) }
        return (nil, keyFrameDelay.map { ($0 / .seconds(1)).forMessages })
    }

    /// Frames that the camera made from the beginning of a file to that of the next one; nil is a file that
    /// has no frame.
    private func framesMade(for path: String?) -> Int {
        guard let place = files.firstIndex(where: { $0.start.path == path }) else {
            return counts.lost + counts.given - framesBeforeNextFile
        }
        let next = place + 1 < files.count ? files[place + 1].framesBefore : nil
        return (next ?? counts.lost + counts.given) - files[place].framesBefore
    }

    var isInFirstFile: Bool { files.count == 1 }

    /// An earlier file, which is complete.
    func continued(_ outcome: RecordingOutcome, _ cause: RecordingFields.Cause) -> RecordingFields {
        var fields = fields(outcome, reason: .continued, error: outcome.error)
        fields.cause = cause
        framesBeforeNextFile = framesDone
        return fields
    }
}

extension RecordingState {
    /// Adds the recording under way.
    mutating func describe(_ recording: RecordingInProgress) {
        let options = recording.options
        path = recording.path
        let size = recording.size(of: path)
        (codec, width, height) = (options.codec, size.width, size.height)
        (maximumSeconds, audio) = (recording.maximum / .seconds(1), recording.hasSound)
        let encoding = options.encoding
        quality = encoding.quality ?? options.codec.defaultQuality
        if options.codec == .h264 {
            (maximumBitRate, keyFrameSeconds) = (encoding.maximumBitRate, encoding.keyFrameSeconds)
        }
        startedAt = Timestamp.text(options.startedAt)
        origin = recording.origin
        (earlier, keyFrameDelay) = recording.beginning(of: path)
        source = recording.source(of: path)
    }
}

extension RecordingFields {
    /// The same recording with what is known of its file.
    func with(_ outcome: RecordingOutcome) -> RecordingFields {
        var fields = RecordingFields(
            path: outcome.path, codec: codec, encoder: encoder, width: width, height: height,
            duration: outcome.duration / .seconds(1), bytes: outcome.bytes, frames: outcome.frames,
            lost: lost, audio: audio, startedAt: startedAt, reason: reason, error: outcome.error)
        (fields.earlier, fields.keyFrameDelay, fields.source) = (earlier, keyFrameDelay, source)
        return fields
    }
}
