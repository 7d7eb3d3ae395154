import Contract
import Foundation
import ZoomModel

/// A schema of a message. Title, description, examples, and what the form does not say (`$defs/more`) are
/// written by hand in the file.
struct SchemaFile {
    let name: String
    /// Nil: an agent publishes the message.
    var command: CommandDescription?
    let form: FormDescription
    let object: JSONObject
    /// What the message can be instead of the object.
    var others: [JSONObject] = []

    static var all: [SchemaFile] {
        Node.allCases.map { Self(of: $0.command, $0.name) } + [Self(of: .ofRefresh, "refresh")] + states
    }

    private init(of command: CommandDescription, _ name: String) {
        (self.name, self.command, form) = ("\(name).set", command, command.form)
        let schema = Schema(shared: command.envelope, notInGroups: ["at", "at_any_clock"])
        object = schema.object(command.form)
        others = command.bare.map { Schema.bare($0) }
        if let cancel = command.cancel {
            // It acts at once.
            others.append(Schema(shared: command.envelope.without(schema.notInGroups)).object(cancel))
        }
    }

    /// - Parameter isNullable: without a value, the state is `null`.
    private init(_ name: String, _ form: FormDescription, isNullable: Bool = false) {
        (self.name, self.form) = (name, form)
        object = Self.referring(Schema().object(form), in: "common.schema.json")
        others = isNullable ? [["type": .text("null")]] : []
    }

    /// The fields as user properties.
    private init(headers name: String, _ form: FormDescription, hasID: Bool) {
        (self.name, self.form) = ("\(name).headers", form)
        let id = Reply.description.fields.filter { $0.name == "id" && hasID }
        object = Schema.headers(of: id + form.fields)
    }

    private static var states: [SchemaFile] {
        let availability = Availability.description
        let nodes = Node.allCases.map { node in
            Self(
                "\(node.name).state", node.contract.publishedState.description,
                isNullable: node.contract.isNullable)
        }
        let others = [
            Self("agent.availability", availability.without(["reason", "error"])),
            Self("agent.info", AgentInfo.description),
            Self("camera.availability", availability.without(["boot", "renew_s"])),
            Self("camera.info", CameraInfo.description),
            Self("diagnostics.state", Stamped<DiagnosticsState>.description),
            Self("event", Event.description),
            Self("output.state", Stamped<OutputState>.description, isNullable: true),
            Self("reply", Reply.description),
            Self("zoom.live", Stamped<LiveSample>.description),
            Self(headers: "image", PhotoFields.description, hasID: true),
            Self(headers: "media", MediaPartFields.description, hasID: true),
            Self(headers: "preview.live", FrameFields.description, hasID: false),
        ]
        return (nodes + others).sorted { $0.name < $1.name }
    }

    var file: String { "\(name).schema.json" }
    private var before: JSONObject {
        FileManager.default.contents(atPath: "schemas/\(file)").flatMap { JSON(Array($0))?.object } ?? [:]
    }
    var title: String { before["title"]?.text ?? name }

    var text: String {
        var before = before
        before["title"] = .text(title)
        let more = before["$defs"]?.object?["more"]
        var (object, schema) = (object, JSONObject())
        if more != nil { object["$ref"] = .text("#/$defs/more") }
        if !others.isEmpty { object = ["oneOf": .list((others + [object]).map { .object($0) })] }
        schema["$schema"] = .text("https://json-schema.org/draft/2020-12/schema")
        schema.add(Self.document(object, before))
        if let more { schema["$defs"] = .object(["more": more]) }
        return JSON.object(schema).fileText() + "\n"
    }

    /// A schema with what is written by hand.
    private static func document(_ schema: JSONObject, _ before: JSONObject) -> JSONObject {
        var document: JSONObject = ["title": before["title"], "description": before["description"]]
        document.add(schema)
        document["examples"] = before["examples"]
        return document
    }

    // MARK: Common definitions

    /// The objects that several messages have.
    static var forms: [(name: String, form: FormDescription)] {
        [
            ("point", Point.description), ("viewport", Viewport.description),
            ("origin", Origin.description), ("error", CommandError.description),
            ("photo", PhotoFields.description), ("recording", RecordingFields.description),
            ("media", MediaFields.description), ("session", SessionState.description),
        ]
    }

    private static let definitions: [(name: String, schema: JSONObject)] =
        [
            ("name", Schema.value(.text(.name))), ("identity", Schema.value(.text(.identity))),
            ("time", Schema.value(.text(.stamp))),
        ] + forms.map { ($0.name, Schema().object($0.form)) }
    private static let zoomState = Schema().object(Stamped<ZoomState>.description)

    /// Only in a command a point may be outside of the view: its definition is written by hand.
    static func common(_ before: String) -> String {
        var file = JSON(Array(before.utf8))?.object ?? [:]
        let before = file["$defs"]?.object ?? [:]
        let all = definitions.map { name, schema in
            let old = before[name]?.object ?? [:]
            return (name, JSON.object(name == "point" ? old : document(referring(schema, in: ""), old)))
        }
        file["$defs"] = .object(JSONObject(distinct: all))
        return JSON.object(file).fileText() + "\n"
    }

    /// The schema of an object with references to what other files have. Controls of the kind `text` are
    /// shown, so their values are in states, although no command has them.
    private static func referring(_ object: JSONObject, in file: String) -> JSONObject {
        func value(_ schema: JSON) -> JSON {
            switch schema {
            case .list(let list) where schema == .texts(["number", "boolean"]):
                return .list(list + [.text("string")])
            case .list(let list): return .list(list.map(value))
            case .object(let object):
                var bare = object
                bare["description"] = nil
                if bare == zoomState { return .object(["$ref": .text("zoom.state.schema.json")]) }
                guard let definition = definitions.first(where: { $0.schema == bare }) else {
                    return .object(referring(object, in: file))
                }
                return .object([
                    "description": object["description"],
                    "$ref": .text("\(file)#/$defs/\(definition.name)"),
                ])
            default: return schema
            }
        }
        return JSONObject(distinct: object.members.map { ($0.name, value($0.value)) })
    }
}
