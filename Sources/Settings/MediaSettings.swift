/// A folder for photos or recordings.
package struct FolderSettings: Sendable, Equatable {
    package var directory: String
    /// The limit of all files together, in bytes. The oldest are deleted first.
    package var maximumBytes: Int

    package init(directory: String, maximumBytes: Int) {
        (self.directory, self.maximumBytes) = (directory, maximumBytes)
    }
}

/// Where photos are stored and published.
package struct CaptureSettings: Sendable, Equatable {
    /// Of at least 1,024 bytes.
    package var folder: FolderSettings
    /// Whether the last photo is published as a retained message.
    package var retainsImage: Bool

    package init(
        folder: FolderSettings = FolderSettings(
            directory: "/var/lib/v4l2mqtt/captures", maximumBytes: 2 << 30),
        retainsImage: Bool = false
    ) {
        (self.folder, self.retainsImage) = (folder, retainsImage)
    }
}

/// Where recordings are stored, and the defaults of commands that start one.
package struct RecordingSettings: Sendable, Equatable {
    /// Of at least ``maximumFileBytes``.
    package var folder: FolderSettings
    /// A recording ends at this size. At least 65,536 bytes.
    package var maximumFileBytes: Int
    /// A recording ends at this length unless its command gives another one. In seconds, 1 to 86,400.
    package var maximumSeconds: Double
    package var codec: RecordingCodec

    package init(
        folder: FolderSettings = FolderSettings(
            directory: "/var/lib/v4l2mqtt/recordings", maximumBytes: 10 << 30),
        maximumFileBytes: Int = 2 << 30, maximumSeconds: Double = 60, codec: RecordingCodec = .h264
    ) {
        (self.folder, self.maximumFileBytes) = (folder, maximumFileBytes)
        (self.maximumSeconds, self.codec) = (maximumSeconds, codec)
    }
}

/// `h264` in MP4, or the camera's own JPEGs (`mjpeg`) in Matroska.
package enum RecordingCodec: String, CaseIterable, Sendable, Codable {
    case h264, mjpeg
}
