package import Settings
package import ZoomModel

/// The answer to a command.
package struct Reply: Sendable, Equatable {
    package enum Status: String, Sendable, FieldWord {
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
    package var rev: Int?
    var boot: Int
    package var clamped: Bool?
    package var factor: Double?
    package var target: Double?
    package var photos: [PhotoFields]?
    package var recording: RecordingFields?
    package var session: SessionState?
    package var values: [String: ControlValue]?
    package var media: [MediaFields]?
    package var next: String?
    package var file: MediaFields?
    package var error: CommandError?
    package var state: Stamped<ZoomState>?
    package var isPersisted: Bool?
    var ts: String

    package init(_ status: Status, boot: Int, ts: String) {
        (self.status, self.boot, self.ts) = (status, boot, ts)
    }
}

extension Reply: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        id = f.maybe("id", \.id, .id, "Of the command.")
        client = f.maybe("client", \.client, .identity, "Of the command.")
        camera = f.maybe("camera", \.camera, .any, "In the topic.")
        node = f.maybe("node", \.node, .any, "In the topic.")
        status = f(
            "status", \.status, .any, "`superseded`: by a later command.")
        rev = f.maybe("rev", \.rev, .count, "Of the camera, after the command.")
        boot = f("boot", \.boot, .from(1), "The agent's count of starts.")
        clamped = f.maybe(
            "clamped", \.clamped, .onlyTrue, "A value was out of range.")
        factor = f.maybe("factor", \.factor, .factor, "The present zoom.")
        target = f.maybe("target", \.target, .factor, "Where it goes.")
        photos = f.maybe(
            "photos", \.photos, .each(.any), "Of a capture.")
        recording = f.maybe("recording", \.recording, .any, "That the command has ended.")
        session = f.maybe("session", \.session, .any, "The present one.")
        values = f.maybe("values", \.values, .each(.any), "Of all controls.")
        media = f.maybe(
            "media", \.media, .upTo(100, each: .any), "A page of the list.")
        next = f.maybe(
            "next", \.next, .fileName, "`before` of the next page, if there is one.")
        file = f.maybe("file", \.file, .any, "That was described.")
        error = f.maybe("error", \.error, .any, "With the status `error`.")
        state = f.maybe("state", \.state, .any, "With `conflict`.")
        isPersisted = f.maybe(
            "persisted", \.isPersisted, .onlyFalse,
            "The change is made, but not stored: a restart may undo it.")
        ts = f("ts", \.ts, .stamp, "When it was sent.")
        f.demand("error", when: .equal("status", .text("error")), "required with \"error\".")
        f.refuse(["error"], when: .unequal("status", .text("error")), "allowed only with \"error\".")
        f.only("next", with: "media")
        f.only("state", with: "error")
    }
}

/// What a sound is about.
package enum SoundAction: String, Sendable, FieldWord {
    case photo
    case recordingStarted = "recording_started"
    case recordingFinished = "recording_finished"
}

/// Something that happens once.
package struct Event: Sendable, Equatable {
    package enum Kind: String, Sendable, FieldWord {
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

        /// The fields that an event of this kind has, and no other one.
        var fields: [String] {
            switch self {
            case .shutter: ["photo"]
            case .sound: ["sound", "action", "button"]
            case .recordingStarted: ["path"]
            case .recordingFinished: ["recording"]
            case .refused: ["node", "error"]
            case .takeOver: ["holder", "holder_proved"]
            }
        }
    }

    package var event: Kind
    package var node: String?
    package var photo: PhotoFields?
    package var recording: RecordingFields?
    package var path: String?
    package var sound: String?
    package var action: SoundAction?
    package var button: ButtonRole?
    package var error: CommandError?
    package var client: String?
    package var proved: Bool?
    package var id: String?
    package var holder: String?
    package var isHolderProved: Bool?
    var boot: Int
    package var ts: String

    package init(_ event: Kind, boot: Int, ts: String) {
        (self.event, self.boot, self.ts) = (event, boot, ts)
    }
}

extension Event: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        event = f("event", \.event, .any, "What happened.")
        node = f.maybe("node", \.node, .any, "In the topic.")
        photo = f.maybe("photo", \.photo, .any, "That was taken.")
        recording = f.maybe("recording", \.recording, .any, "That has ended.")
        path = f.maybe("path", \.path, .filled, "On the agent's machine.")
        sound = f.maybe(
            "sound", \.sound, .upTo(64), "`default`, `none`, or the user's own.")
        action = f.maybe("action", \.action, .any, "What the press has triggered.")
        button = f.maybe("button", \.button, .any, "That was pressed.")
        error = f.maybe("error", \.error, .any, "Why the command was refused.")
        (client, proved) = f.client(\.client, \.proved, "Whose command caused it; the new holder.")
        id = f.maybe("id", \.id, .id, "Of the command.")
        holder = f.maybe("holder", \.holder, .identity, "The one before.")
        isHolderProved = f.maybe("holder_proved", \.isHolderProved, .any, "The holder's `proved`.")
        boot = f("boot", \.boot, .from(1), "The agent's count of starts.")
        ts = f("ts", \.ts, .stamp, "When it happened.")
        f.demand("holder_proved", when: .given("holder"), "required with holder.")
        f.demand("client", when: .equal("event", .text("take_over")), "required.")
        for kind in Kind.allCases {
            for field in kind.fields {
                f.demand(field, when: .equal("event", .text(kind.rawValue)), "required.")
            }
            f.refuse(kind.fields, when: .unequal("event", .text(kind.rawValue)), "not with this event.")
        }
    }
}
