import Contract
import Foundation
import ZoomModel

/// A schema of what an agent publishes. Title, description, examples, and the definitions with what the form
/// does not say (`more`) are kept as the file has them.
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
        let before = Self.file("\(name).schema.json")
        var schema: JSONObject = [
            "$schema": before["$schema"], "title": before["title"], "description": before["description"],
        ]
        var object = Self.children(of: Schema().object(form), file: "common.schema.json")
        if before["$defs"] != nil { object["$ref"] = .text("#/$defs/more") }
        if isNullable {
            schema["oneOf"] = .list([.object(["type": .text("null")]), .object(object)])
        } else {
            for member in object.members { schema[member.name] = member.value }
        }
        (schema["examples"], schema["$defs"]) = (before["examples"], before["$defs"])
        return ("\(name).schema.json", JSON.object(schema).fileText() + "\n")
    }

    static func file(_ name: String) -> JSONObject {
        FileManager.default.contents(atPath: "schemas/\(name)").flatMap { JSON(Array($0))?.object } ?? [:]
    }

    // MARK: Common definitions

    /// Those of `common.schema.json` that follow from forms.
    private static let forms: [(name: String, schema: JSONObject)] = [
        ("viewport", Viewport.description), ("origin", Origin.description),
        ("error", CommandError.description), ("photo", PhotoFields.description),
        ("recording", RecordingFields.description),
    ].map { ($0.0, Schema().object($0.1)) }

    /// Those that states refer to. A point of a command may be outside of the view.
    private static let definitions =
        forms + [
            ("point", Schema().object(Point.description)), ("identity", Schema.value(.text(.identity))),
            ("name", Schema.value(.text(.name))), ("time", Schema.value(.text(.stamp))),
        ]

    static var common: (name: String, text: String) {
        let name = "common.schema.json"
        var file = file(name)
        var all = file["$defs"]?.object ?? [:]
        for (name, schema) in forms {
            let before = all[name]?.object ?? [:]
            var definition: JSONObject = ["title": before["title"], "description": before["description"]]
            for member in children(of: schema, file: "").members { definition[member.name] = member.value }
            definition["examples"] = before["examples"]
            all[name] = .object(definition)
        }
        file["$defs"] = .object(all)
        return (name, JSON.object(file).fileText() + "\n")
    }

    /// The schema with references to common definitions. Controls of the kind `text` are shown, so their
    /// values are in states, although no command has them.
    private static func referring(_ schema: JSON, file: String) -> JSON {
        switch schema {
        case .list(let list) where schema == .texts(["number", "boolean"]):
            return .list(list + [.text("string")])
        case .list(let list): return .list(list.map { referring($0, file: file) })
        case .object(let object):
            var bare = object
            bare["description"] = nil
            guard let definition = definitions.first(where: { $0.schema == bare }) else {
                return .object(children(of: object, file: file))
            }
            return .object([
                "description": object["description"], "$ref": .text("\(file)#/$defs/\(definition.name)"),
            ])
        default: return schema
        }
    }

    private static func children(of object: JSONObject, file: String) -> JSONObject {
        JSONObject(distinct: object.members.map { ($0.name, referring($0.value, file: file)) })
    }
}
