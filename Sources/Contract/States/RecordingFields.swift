package import Settings

/// What makes the H.264 of a recording.
package enum RecordingSource: String, Sendable, FieldWord {
    /// The camera: its own video is stored unchanged.
    case camera
    /// An encoder of the agent.
    case encoder
}

/// A recording that has ended.
package struct RecordingFields: Sendable, Equatable {
    /// The reason of its end.
    package enum Reason: String, Sendable, FieldWord {
        /// A client requested it.
        case stopped
        case maximumDuration = "max_duration"
        case sizeLimit = "size_limit"
        case diskFull = "disk_full"
        case unplugged
        /// The camera was switched to private.
        case privacy
        /// The agent stopped.
        case agentStopped = "agent_stopped"
        /// The agent ended before the file was completed, for example by a crash or a power cut. Reported by
        /// its next run.
        case crash
        /// The recording goes on in another file; see the cause.
        case continued
        /// Another failure; see the error.
        case failed
    }

    /// Why a recording goes on in another file.
    package enum Cause: String, Sendable, FieldWord {
        /// The camera's own video was stored, and the zoom shows a part of the picture now.
        case zoom
        /// The camera's own video was stored, and an effect was chosen.
        case effect
        /// The camera has changed the parameters of its video.
        case format
        /// The encoder has failed, and another one has taken over.
        case encoder
    }

    package var path: String?
    package var codec: RecordingCodec
    package var source: RecordingSource?
    package var encoder: String?
    package var width: Int
    package var height: Int
    package var duration: Double
    package var bytes: Int
    var frames: Int
    package var lost: Int
    package var audio: Bool
    package var startedAt: String
    package var reason: Reason
    package var cause: Cause?
    package var earlier: [String]?
    package var keyFrameDelay: Double?
    package var error: CommandError?

    package init(
        path: String?, codec: RecordingCodec, encoder: String?, width: Int, height: Int, duration: Double,
        bytes: Int, frames: Int, lost: Int, audio: Bool, startedAt: String, reason: Reason,
        error: CommandError?
    ) {
        (self.path, self.codec, self.encoder, self.width, self.height) = (path, codec, encoder, width, height)
        (self.duration, self.bytes, self.frames) = ((duration * 1000).rounded() / 1000, bytes, frames)
        (self.lost, self.audio, self.startedAt) = (lost, audio, startedAt)
        (self.reason, self.error) = (reason, error)
    }
}

extension NumberRule {
    static let seconds = NumberRule.from(0)
    static let recordingSeconds = NumberRule.within(1...86_400)
    static let keyFrameInterval = NumberRule.within(RecordingEncoding.keyFrameIntervals)
}

extension WholeRule {
    static let recordingQuality = WholeRule.within(RecordingEncoding.qualities)
    static let bitRate = WholeRule.within(RecordingEncoding.bitRates)
}

extension RecordingFields: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        path = f.maybe("path", \.path, .filled, "On the agent's machine; absent: no file.")
        codec = f("codec", \.codec, .any, "`h264` in MP4, or the camera's own JPEGs (`mjpeg`) in Matroska.")
        source = f.maybe(
            "source", \.source, .any, "With `h264`: `camera` is the camera's own.")
        encoder = f.maybe(
            "encoder", \.encoder, .filled, "Such as `libx264`; absent: the camera's own frames.")
        width = f("width", \.width, .pixels, "Pixels.")
        height = f("height", \.height, .pixels, "Pixels.")
        startedAt = f("started_at", \.startedAt, .stamp, "When it was started.")
        duration = f(
            "duration_s", \.duration, .seconds, "Of the first to the last frame.")
        bytes = f("bytes", \.bytes, .count, "Size of the file.")
        frames = f("frames", \.frames, .count, "In the file.")
        lost = f(
            "lost", \.lost, .count, "Frames that the file lacks; after a `crash` 0."
        )
        audio = f("audio", \.audio, .any, "With sound.")
        reason = f(
            "reason", \.reason, .any,
            "Of its end; `continued`: in another file.")
        cause = f.maybe(
            "cause", \.cause, .any, "With `continued`.")
        earlier = f.maybe(
            "earlier", \.earlier, .some(.filled), "The recording's files before this one.")
        error = f.maybe("error", \.error, .any, "What failed.")
        keyFrameDelay = f.maybe(
            "key_frame_delay_s", \.keyFrameDelay, .seconds,
            "Of the camera's own H.264: wait for its first key frame.")
    }
}
