package import Settings
package import ZoomModel

/// The answer to a command.
package struct Reply: Sendable, Equatable, Codable {
    package enum Status: String, Sendable, Codable {
        /// Under way; there will be another answer.
        case accepted
        /// The command was carried out.
        case done
        /// A newer command took its place.
        case superseded
        case error
    }

    package var id: String?
    package var client: String?
    package var camera: String?
    package var node: String?
    package var status: Status
    /// The camera's `rev` after the command.
    package var rev: Int?
    var boot: Int
    /// True when a value was out of range and was taken back into it.
    package var clamped: Bool?
    package var factor: Double?
    package var target: Double?
    /// The photos of a capture.
    package var photos: [PhotoFields]?
    /// The recording that the command ended.
    package var recording: RecordingFields?
    /// The present session.
    package var session: SessionState?
    /// The controls as they were read back.
    package var values: [String: ControlValue]?
    /// A page of the list of files.
    package var media: [MediaFields]?
    /// With ``media``: where the next page begins; nil: there is none.
    package var next: String?
    /// The file that the command describes.
    package var file: MediaFields?
    package var error: CommandError?
    /// With `conflict`: the present state of the zoom.
    package var state: Stamped<ZoomState>?
    /// False when the change was made, but can't be stored: a restart may undo it.
    package var isPersisted: Bool?
    var ts: String

    private enum CodingKeys: String, CodingKey {
        case id, client, camera, node, status, rev, boot, clamped, factor, target, photos, recording, session
        case values, media, next, file, error, state
        case isPersisted = "persisted"
        case ts
    }

    package init(_ status: Status, boot: Int, ts: String) {
        self.status = status
        self.boot = boot
        self.ts = ts
    }
}

/// What a sound is about.
package enum SoundAction: String, Sendable, Codable {
    case photo
    case recordingStarted = "recording_started"
    case recordingFinished = "recording_finished"
}

/// Something that happens once.
package struct Event: Sendable, Equatable, Codable {
    package enum Kind: String, Sendable, Codable {
        /// A photo was taken.
        case shutter
        /// A remote button was pressed or released; its user should hear a sound.
        case sound
        case recordingStarted = "recording_started"
        case recordingFinished = "recording_finished"
        /// A command was refused.
        case refused
        /// A client took the lease from another one by force.
        case takeOver = "take_over"
    }

    package var event: Kind
    package var node: String?
    package var photo: PhotoFields?
    package var recording: RecordingFields?
    /// With a recording that has started: its path.
    package var path: String?
    /// `default`, `none`, or one of the user's.
    package var sound: String?
    /// What the sound is about.
    package var action: SoundAction?
    package var button: ButtonRole?
    package var error: CommandError?
    package var client: String?
    /// Whether the command came on the topic of the client's account. Nil: there is no client.
    package var proved: Bool?
    package var id: String?
    /// With a take-over: the previous holder of the lease.
    package var holder: String?
    /// Whether the command of the holder came on the topic of the holder's account.
    package var isHolderProved: Bool?
    var boot: Int
    package var ts: String

    private enum CodingKeys: String, CodingKey {
        case event, node, photo, recording, path, sound, action, button, error, client, proved, id, holder
        case isHolderProved = "holder_proved"
        case boot, ts
    }

    package init(_ event: Kind, boot: Int, ts: String) {
        self.event = event
        self.boot = boot
        self.ts = ts
    }
}
