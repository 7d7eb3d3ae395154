package import Contract
internal import FoundationEssentials
internal import ZoomModel

/// The part of a camera's state that outlives the agent.
package struct SavedCamera: Sendable, Equatable, Form {
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

    package init(_ f: inout some FormVisitor<Self>) {
        factor = f("factor", \.factor, .any, "The last zoom.")
        centerX = f("centerX", \.centerX, .any, "The middle of the view, in fractions.")
        centerY = f("centerY", \.centerY, .any, "The same.")
        controls = f("controls", \.controls, .each(.any), "What a command set.")
        numbers = f("numbers", \.numbers, .any, "What was given out.")
        photoNumber = f("captures", \.photoNumber, .counter, "The number of the last photo.")
        desired = f.maybe("desired", \.desired, .any, "The outcome of the camera's own desired state.")
        // States of earlier versions lack these.
        recordingNumber = f(
            "recordings", \.recordingNumber, .counter, default: 0, "The number of the last recording.")
        lastPhoto = f.maybe("lastPhoto", \.lastPhoto, .any, "The last photo.")
        lastRecording = f.maybe("lastRecording", \.lastRecording, .any, "The last recording with a file.")
        unfinishedRecordings = f(
            "unfinishedRecordings", \.unfinishedRecordings, .each(.any), default: [],
            "Recordings whose end was not reported.")
        applyingVersion = f.maybe(
            "applyingVersion", \.applyingVersion, .any, "The version that is being applied.")
        desiredOfGroups = f(
            "desiredOfGroups", \.desiredOfGroups, .each(.any), default: [],
            "The outcomes of the desired states of groups.")
        olderThanDesired = f(
            "olderThanDesired", \.olderThanDesired, .counter, default: 0,
            "How many of these are older than the camera's own.")
        session = f.maybe("session", \.session, .any, "What a command requested.")
        let presets = f("presets", \.presets, .readable(.any), default: [:], "By name.")
        self.presets = presets.filter { $0.key.isValidName && $0.value.isValid }
        privacy = f.maybe("privacy", \.privacy, .any, "The last command.")
        hasOutput = f.maybe("hasOutput", \.hasOutput, .any, "Whether a virtual camera was configured.")
        // These are published unchanged, so they have to be valid.
        f.check(
            session?.isValid ?? true, "session", "expected a name of 1 to 64 bytes, and a rate above 0.")
        f.check(
            privacy?.isValid ?? true, "privacy",
            "expected a client of 1 to 129 bytes with isProved, and a time.")
        f.check(
            desiredOfGroups.allSatisfy { $0.group.map { Topics.isName($0) } ?? false }, "desiredOfGroups",
            "expected names of groups.")
    }
}

/// The session that a command requested.
package struct SavedSession: Sendable, Equatable {
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
package struct SavedDesired: Sendable, Equatable {
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
package struct SavedPrivacy: Sendable, Equatable {
    /// The camera's own privacy control, as it was before the agent set it.
    package struct ControlBefore: Sendable, Equatable {
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

extension SavedSession: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        quality = f("quality", \.quality, .any, "Its name.")
        rate = f.maybe("rate", \.rate, .any, "Frames per second.")
    }
}

extension SavedDesired: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        group = f.maybe("group", \.group, .any, "Whose count the version belongs to.")
        version = f("version", \.version, .any, "Of the desired state.")
        outcome = f("outcome", \.outcome, .any, "How it went.")
        error = f.maybe("error", \.error, .any, "Why it failed.")
        contents = f.maybe("contents", \.contents, .any, "A digest of what was wanted.")
    }
}

extension SavedPrivacy: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        isOn = f("isOn", \.isOn, .any, "Whether the camera is private.")
        client = f.maybe("client", \.client, .any, "Who sent the command.")
        isProved = f.maybe("isProved", \.isProved, .any, "Whether it came on the topic of its account.")
        since = f("since", \.since, .any, "When it was carried out.")
        controlBefore = f.maybe("controlBefore", \.controlBefore, .any, "The camera's own control.")
    }
}

extension SavedPrivacy.ControlBefore: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        name = f("name", \.name, .any, "Of the control.")
        value = f("value", \.value, .any, "Before the agent set it.")
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

extension WholeRule {
    /// A counter of the agent's. A number beyond 2^53 was never reached by an agent and could overflow, so
    /// the file counts as damaged.
    package static let counter = WholeRule.within(0...1 << 53)
}
