package import Contract
internal import FoundationEssentials
internal import ZoomModel

/// The part of a camera's state that outlives the agent.
package struct SavedCamera: Sendable, Equatable, Codable {
    /// The last zoom factor, above 0.
    package var factor = 1.0
    /// The middle of the view, in fractions (0…1) of the lens's widest field.
    package var centerX = 0.5
    package var centerY = 0.5
    /// The controls that a command set, with the values that were read back.
    package var controls: [String: ControlValue] = [:]
    /// What was given out when this was saved. Of a run that begins, what none of its numbers is below.
    package var numbers = CameraNumbers()
    /// The number of the last photo that was stored.
    package var photoNumber = 0
    /// The last photo that was stored.
    package var lastPhoto: PhotoFields?
    /// The last version of the camera's own desired state that was applied; nil: none, or the file was
    /// written before the node existed.
    package private(set) var desired: SavedDesired?
    /// The same of the desired states of its groups, the newest outcome at the end.
    private(set) var desiredOfGroups: [SavedDesired] = []
    /// The outcomes of groups that are older than that of the camera's own desired state.
    private(set) var olderThanDesired = 0
    /// The version of the desired state that is being applied. It is stored before the version is begun,
    /// which shows whether the disk takes its outcome; nothing reads it after a restart.
    package var applyingVersion: Int?
    /// The number of the last recording that was begun.
    package var recordingNumber = 0
    /// The last recording that has ended and has a file.
    package var lastRecording: RecordingFields?
    /// The recordings that began and whose end wasn't reported, the oldest first, as they were known at their
    /// begin: a crash leaves them here. Two, if one begins while that of an earlier run is being inspected.
    package var unfinishedRecordings: [RecordingFields] = []
    /// The session that a command requested; nil: as configured.
    package var session: SavedSession?
    /// Of those that were read, only the ones that are valid.
    package var presets: [String: PresetFields] = [:]
    /// The last command of `privacy`; nil: there was none.
    package var privacy: SavedPrivacy?
    /// True: a virtual camera was configured, so its state was published. Nil: there was none.
    package var hasOutput: Bool?

    package init() {}

    /// The names in the state file.
    private enum CodingKeys: String, CodingKey {
        case factor, centerX, centerY, controls, numbers, lastPhoto, desired
        case desiredOfGroups, olderThanDesired, applyingVersion, lastRecording, unfinishedRecordings
        case session, presets
        case privacy, hasOutput
        case photoNumber = "captures"
        case recordingNumber = "recordings"
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        factor = try fields.decode(Double.self, forKey: .factor)
        centerX = try fields.decode(Double.self, forKey: .centerX)
        centerY = try fields.decode(Double.self, forKey: .centerY)
        controls = try fields.decode([String: ControlValue].self, forKey: .controls)
        numbers = try fields.decode(CameraNumbers.self, forKey: .numbers)
        photoNumber = try fields.count(.photoNumber)
        desired = try fields.decodeIfPresent(SavedDesired.self, forKey: .desired)
        // States of earlier versions lack these.
        recordingNumber = try fields.countIfPresent(.recordingNumber)
        lastPhoto = try fields.decodeIfPresent(PhotoFields.self, forKey: .lastPhoto)
        lastRecording = try fields.decodeIfPresent(RecordingFields.self, forKey: .lastRecording)
        unfinishedRecordings =
            try fields.decodeIfPresent([RecordingFields].self, forKey: .unfinishedRecordings) ?? []
        applyingVersion = try fields.decodeIfPresent(Int.self, forKey: .applyingVersion)
        desiredOfGroups = try fields.decodeIfPresent([SavedDesired].self, forKey: .desiredOfGroups) ?? []
        olderThanDesired = try fields.countIfPresent(.olderThanDesired)
        session = try fields.decodeIfPresent(SavedSession.self, forKey: .session)
        let found = try fields.decodeIfPresent([String: Preset].self, forKey: .presets) ?? [:]
        presets = found.compactMapValues(\.fields).filter { $0.key.isValidName && $0.value.isValid }
        privacy = try fields.decodeIfPresent(SavedPrivacy.self, forKey: .privacy)
        hasOutput = try fields.decodeIfPresent(Bool.self, forKey: .hasOutput)
        // These are published unchanged, so they have to be valid.
        guard session?.isValid ?? true else {
            throw fields.corruption(.session, "expected a name of 1 to 64 bytes, and a rate above 0")
        }
        guard privacy?.isValid ?? true else {
            throw fields.corruption(.privacy, "expected a client of 1 to 129 bytes with isProved, and a time")
        }
        guard desiredOfGroups.allSatisfy({ $0.group.map { Topics.isName($0) } ?? false }) else {
            throw fields.corruption(.desiredOfGroups, "expected names of groups")
        }
    }

    /// One that isn't valid leaves the others.
    private struct Preset: Decodable {
        let fields: PresetFields?

        init(from decoder: any Decoder) { fields = try? PresetFields(from: decoder) }
    }
}

/// The session that a command requested.
package struct SavedSession: Sendable, Equatable, Codable {
    /// The name of the quality.
    package var quality: String
    /// Frames per second, above 0; nil: no command requested a rate.
    package var rate: Double?

    package init(quality: String, rate: Double?) { (self.quality, self.rate) = (quality, rate) }
}

extension SavedCamera {
    /// The last version of each count of the desired state, the newest outcome at the end.
    package var outcomes: [SavedDesired] {
        get {
            guard let desired else { return desiredOfGroups }
            var all = desiredOfGroups
            all.insert(desired, at: min(olderThanDesired, all.count))
            return all
        }
        set {
            desired = newValue.first { $0.group == nil }
            desiredOfGroups = newValue.filter { $0.group != nil }
            olderThanDesired = newValue.firstIndex { $0.group == nil } ?? 0
        }
    }
}

/// The outcome of a version of the desired state.
package struct SavedDesired: Sendable, Equatable, Codable {
    /// The group whose count the version belongs to; nil: the camera's own.
    var group: String?
    package var version: Int
    package var outcome: DesiredState.Outcome
    var error: CommandError?
    /// A digest of what was wanted (``DesiredSet/contents``), which tells whether the version comes again
    /// with other contents; nil: an earlier version of the program wrote it.
    package var contents: String?
}

/// The last command of `privacy`.
package struct SavedPrivacy: Sendable, Equatable, Codable {
    /// The camera's own privacy control, as it was before the agent set it.
    package struct ControlBefore: Sendable, Equatable, Codable {
        var name: String
        var value: ControlValue
    }

    package var isOn: Bool
    /// The name of the client that sent it; nil: it gave none.
    package var client: String?
    /// Whether the command came on the topic of the client's account. Nil: there is no client.
    var isProved: Bool?
    /// When it was carried out (RFC 3339).
    package var since: String
    /// What the control is set to when the device is opened again; nil: the agent hasn't set it.
    package var controlBefore: ControlBefore?

    init(isOn: Bool, by client: ClientIdentity?, since: String, controlBefore: ControlBefore?) {
        (self.isOn, self.client, isProved) = (isOn, client?.name, client?.isProved)
        (self.since, self.controlBefore) = (since, controlBefore)
    }
}

// The agent saves only valid values; an invalid one was written by another program.

extension SavedSession {
    fileprivate var isValid: Bool { quality.isValidName && rate.map { $0 > 0 } ?? true }
}

extension SavedPrivacy {
    /// The longest name is that of a client for which another one speaks.
    fileprivate var isValid: Bool {
        let isNameValid = client.map { 1...129 ~= $0.utf8.count } ?? true
        return isNameValid && (client == nil) == (isProved == nil) && Timestamp.date(since) != nil
    }
}

extension PresetFields {
    fileprivate var isValid: Bool {
        factor > 0 && 0...1 ~= center.x && 0...1 ~= center.y
            && (client.map { 1...129 ~= $0.utf8.count && proved != nil } ?? (proved == nil))
    }
}

extension String {
    fileprivate var isValidName: Bool { 1...64 ~= utf8.count }
}

extension KeyedDecodingContainer {
    /// A counter of the agent's. A number beyond 2^53 was never reached by an agent and could overflow, so
    /// the file counts as damaged.
    package func count(_ key: Key) throws -> Int {
        let number = try decode(Int.self, forKey: key)
        guard (0...1 << 53).contains(number) else {
            throw corruption(key, "expected a number from 0 to 2^53, found \(number)")
        }
        return number
    }

    /// The same of a counter that files of earlier versions lack: it is 0 then.
    fileprivate func countIfPresent(_ key: Key) throws -> Int { contains(key) ? try count(key) : 0 }

    fileprivate func corruption(_ key: Key, _ words: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: words)
    }
}
