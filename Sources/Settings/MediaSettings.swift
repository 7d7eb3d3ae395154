/// A folder for photos or recordings.
package struct FolderSettings: Sendable, Equatable {
    package var directory: String
    /// The limit of all files together, in bytes. The oldest are deleted first.
    package var maximumBytes: Int
    /// Files younger than this aren't deleted, in days, 0 to 3,650.
    package var keptDays = 0.0
}

/// Where photos are stored and published.
package struct CaptureSettings: Sendable, Equatable {
    /// Of at least 1,024 bytes.
    package var folder = FolderSettings(directory: "/var/lib/v4l2mqtt/captures", maximumBytes: 2 << 30)
    /// Whether the last photo is published as a retained message.
    package var retainsImage = false
}

/// Where recordings are stored, and the defaults of commands that start one.
package struct RecordingSettings: Sendable, Equatable {
    /// Of at least ``maximumFileBytes``.
    package var folder = FolderSettings(directory: "/var/lib/v4l2mqtt/recordings", maximumBytes: 10 << 30)
    /// A recording ends at this size. At least 65,536 bytes.
    package var maximumFileBytes = 2 << 30
    /// A recording ends at this length unless its command gives another one. In seconds, 1 to 86,400.
    package var maximumSeconds = 60.0
    package var codec = RecordingCodec.h264
    package var encoding = RecordingEncoding()
}

/// `h264` in MP4, or the camera's own JPEGs (`mjpeg`) in Matroska.
package enum RecordingCodec: String, CaseIterable, Sendable {
    case h264, mjpeg

    /// The quality of a recording for which none is configured or requested: x264's own default, and that of
    /// photos.
    package var defaultQuality: Int { self == .h264 ? 56 : 90 }
}

/// What encodes the pictures of `h264`.
package enum RecordingEncoder: String, CaseIterable, Sendable {
    /// A hardware encoder, where there is one that takes the pictures; otherwise x264.
    case automatic = "auto"
    /// x264.
    case software
    /// libavcodec's encoder for V4L2's encoders; x264 if it fails.
    case v4l2 = "h264_v4l2m2m"
}

/// How the pictures of a recording are encoded. JPEGs that are stored as the camera made them are not.
package struct RecordingEncoding: Sendable, Equatable {
    /// Of a command that says nothing, where nothing is configured.
    package static let standard = RecordingEncoding()
    package static let qualities = 1...100
    package static let bitRates = 50_000...200_000_000
    package static let keyFrameIntervals = 0.1...60.0

    /// 1 to 100, the larger the better; nil: ``RecordingCodec/defaultQuality``. With `h264`, x264's constant
    /// rate factor is 51 − quality ÷ 2. With `mjpeg`, the quality of the JPEGs.
    package var quality: Int?
    /// Limit of the bit rate of the pictures, in bits per second: where the quality would need more, it is
    /// lower. Nil: there is no limit. Not with `mjpeg`.
    package var maximumBitRate: Int?
    /// The longest time from one key frame to the next, in seconds. With `mjpeg` each frame is a key frame.
    package var keyFrameSeconds = 1.0
    /// Not with `mjpeg`.
    package var encoder = RecordingEncoder.automatic
}
