import Contract
import Foundation
import ZoomModel

/// A schema of what an agent publishes. Title, description and examples are kept as the file has them.
struct StateSchema {
    let name: String
    let form: FormDescription
    /// Without a value the state is `null`.
    var isNullable = false

    static var all: [StateSchema] {
        [
            Self(name: "agent.info", form: AgentInfo.description),
            Self(name: "camera.info", form: CameraInfo.description),
            Self(name: "capture.state", form: Stamped<CaptureState>.description),
            Self(name: "controls.state", form: Stamped<ControlsState>.description),
            Self(name: "desired.state", form: Stamped<DesiredState>.description, isNullable: true),
            Self(name: "diagnostics.state", form: Stamped<DiagnosticsState>.description),
            Self(name: "event", form: Event.description),
            Self(name: "lease.state", form: Stamped<LeaseState>.description, isNullable: true),
            Self(name: "media.state", form: Stamped<MediaState>.description),
            Self(name: "output.state", form: Stamped<OutputState>.description, isNullable: true),
            Self(name: "pinch.state", form: Stamped<PinchState>.description, isNullable: true),
            Self(name: "presets.state", form: Stamped<PresetsState>.description),
            Self(name: "preview.state", form: Stamped<PreviewState>.description, isNullable: true),
            Self(name: "privacy.state", form: Stamped<PrivacyState>.description),
            Self(name: "recording.state", form: Stamped<RecordingState>.description),
            Self(name: "session.state", form: Stamped<SessionState>.description),
            Self(name: "touch.state", form: Stamped<TouchState>.description, isNullable: true),
            Self(name: "viewport.state", form: Stamped<ViewportState>.description),
            Self(name: "zoom.live", form: Stamped<LiveSample>.description),
            Self(name: "zoom.state", form: Stamped<ZoomState>.description),
        ]
    }

    var file: (name: String, text: String) {
        let path = "schemas/\(name).schema.json"
        let before = FileManager.default.contents(atPath: path).flatMap { JSON(Array($0))?.object } ?? [:]
        var schema: JSONObject = [
            "$schema": before["$schema"], "title": before["title"], "description": before["description"],
        ]
        let object = Self.withTexts(.object(Schema().object(form)))
        if isNullable {
            schema["oneOf"] = .list([.object(["type": .text("null")]), object])
        } else {
            for member in object.object?.members ?? [] { schema[member.name] = member.value }
        }
        schema["examples"] = before["examples"]
        return ("\(name).schema.json", JSON.object(schema).fileText() + "\n")
    }

    /// Controls of the kind `text` are shown, so their values are in states, although no command has them.
    private static func withTexts(_ schema: JSON) -> JSON {
        switch schema {
        case .list(let list) where schema == .texts(["number", "boolean"]):
            .list(list + [.text("string")])
        case .list(let list): .list(list.map(withTexts))
        case .object(let object):
            .object(JSONObject(distinct: object.members.map { ($0.name, withTexts($0.value)) }))
        default: schema
        }
    }
}
