package import Settings
package import ZoomModel

/// What makes the H.264 of a recording.
package enum RecordingSource: String, Sendable, Codable, CaseIterable {
    /// The camera: its own video is stored unchanged.
    case camera
    /// An encoder of the agent.
    case encoder
}

/// A recording that has ended.
package struct RecordingFields: Sendable, Equatable, Codable {
    /// The reason of its end.
    package enum Reason: String, Sendable, Codable, CaseIterable {
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
    package enum Cause: String, Sendable, Codable, CaseIterable {
        /// The camera's own video was stored, and the zoom shows a part of the picture now.
        case zoom
        /// The camera's own video was stored, and an effect was chosen.
        case effect
        /// The camera has changed the parameters of its video.
        case format
        /// The encoder has failed, and another one has taken over.
        case encoder
    }

    /// Nil if there is no file, because no frame came.
    package var path: String?
    package var codec: RecordingCodec
    /// Nil: the file has JPEGs, or there is none.
    package var source: RecordingSource?
    /// The encoder, such as `libx264`; nil if the camera's own frames were stored, and after a crash.
    package var encoder: String?
    package var width: Int
    package var height: Int
    /// From the first frame to the end of the last, in seconds.
    package var duration: Double
    package var bytes: Int
    var frames: Int
    /// Frames that the camera made and that aren't in the file; 0 after a crash, when they aren't known.
    package var lost: Int
    package var audio: Bool
    package var startedAt: String
    package var reason: Reason
    /// With the reason `continued`.
    package var cause: Cause?
    /// The paths of the recording's files before this one; nil: there is none.
    package var earlier: [String]?
    /// Of the camera's own H.264: seconds from the start to the key frame with which the recording begins.
    package var keyFrameDelay: Double?
    package var error: CommandError?

    private enum CodingKeys: String, CodingKey {
        case path, codec, source, encoder, width, height
        case startedAt = "started_at"
        case duration = "duration_s"
        case bytes, frames, lost, audio, reason, cause, earlier, error
        case keyFrameDelay = "key_frame_delay_s"
    }

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

/// The state of `recording`.
package struct RecordingState: Sendable, Equatable, Codable {
    package enum Phase: String, Sendable, Codable {
        case idle
        /// The camera and the encoder get ready.
        case starting
        case recording
        /// The file is being completed.
        case finishing
    }

    package var state: Phase
    /// Whether a recording is running or starting.
    package var on: Bool
    package var path: String?
    package var codec: RecordingCodec?
    /// Of the present file; nil: no frame is in it yet, or it has JPEGs.
    package var source: RecordingSource?
    package var width: Int?
    package var height: Int?
    package var maximumSeconds: Double?
    package var audio: Bool?
    /// Of the pictures that the agent encodes.
    package var quality: Int?
    /// Bits per second; nil: there is no limit.
    package var maximumBitRate: Int?
    /// Nil: each frame is a key frame.
    package var keyFrameSeconds: Double?
    package var startedAt: String?
    /// The paths of the recording's files before this one; nil: there is none.
    package var earlier: [String]?
    /// Of the camera's own H.264: seconds from the start to the key frame with which the recording begins.
    package var keyFrameDelay: Double?
    package var origin: Origin?
    package var last: RecordingFields?

    private enum CodingKeys: String, CodingKey {
        case state, on, path, codec, source, width, height
        case maximumSeconds = "max_duration_s"
        case audio, quality
        case maximumBitRate = "max_bit_rate"
        case keyFrameSeconds = "key_frame_interval_s"
        case startedAt = "started_at"
        case keyFrameDelay = "key_frame_delay_s"
        case earlier, origin, last
    }

    package init(_ state: Phase, last: RecordingFields?) {
        self.state = state
        on = state == .starting || state == .recording
        self.last = last
    }
}
