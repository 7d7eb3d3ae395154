internal import Cameras
internal import FoundationEssentials
internal import Messages
internal import ZoomModel

/// A recording under way: its request, and the count of its frames.
final class RecordingInProgress {
    let number: Int
    let encoder: any ActiveRecording
    /// On the mode: it isn't changed while frames are recorded.
    let claim: ModeClaim
    let options: RecordingOptions
    /// After this duration it ends.
    let maximum: Duration
    let origin: Origin
    /// The sound of the remote button that started it.
    let sound: ShutterSound?
    var hasSound = false
    /// When the first frame was exposed.
    private(set) var start: ContinuousClock.Instant?
    private var lastFrame: Int?
    /// Frames that the encoder was given, and those that the driver lost or that were left out.
    private var counts = (given: 0, lost: 0)
    /// When the frames were exposed that the encoder hasn't encoded yet, in their order.
    private var inEncoder: [ContinuousClock.Instant] = []
    var framesInEncoder: Int { inEncoder.count }
    /// Requests for a frame that failed, one after the other.
    var failures = 0

    init(
        number: Int, encoder: any ActiveRecording, claim: ModeClaim, options: RecordingOptions,
        maximum: Duration, origin: Origin, sound: ShutterSound?
    ) {
        (self.number, self.encoder, self.claim, self.options) = (number, encoder, claim, options)
        (self.maximum, self.origin, self.sound) = (maximum, origin, sound)
    }

    /// The client and the request that started it.
    var envelope: Envelope { Envelope(id: origin.id, client: origin.client) }

    /// Counts a frame. Returns whether the encoder has room for it.
    func admit(_ frame: Frame, start: ContinuousClock.Instant, maxInEncoder: Int) -> Bool {
        self.start = start
        failures = 0
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
        RecordingFields(
            path: outcome.path, codec: options.codec, encoder: outcome.encoder, width: options.width,
            height: options.height, duration: outcome.duration / .seconds(1), bytes: outcome.bytes,
            frames: outcome.frames, lost: counts.lost + max(0, counts.given - outcome.frames),
            audio: hasSound, startedAt: Timestamp.text(options.startedAt), reason: reason, error: error)
    }
}

extension RecordingState {
    /// Adds the recording under way.
    ///
    /// - Parameter path: nil: no frame is in its file yet.
    mutating func describe(_ recording: RecordingInProgress, path: String?) {
        let options = recording.options
        (self.path, codec, width, height) = (path, options.codec, options.width, options.height)
        (maximumSeconds, audio) = (recording.maximum / .seconds(1), recording.hasSound)
        setEncoding(options)
        startedAt = Timestamp.text(options.startedAt)
        origin = recording.origin.forMessages
    }
}

extension RecordingFields {
    /// The same recording with what is known of its file.
    func with(_ outcome: RecordingOutcome) -> RecordingFields {
        RecordingFields(
            path: outcome.path, codec: codec, encoder: encoder, width: width, height: height,
            duration: outcome.duration / .seconds(1), bytes: outcome.bytes, frames: outcome.frames,
            lost: lost,
            audio: audio, startedAt: startedAt, reason: reason, error: outcome.error)
    }
}
