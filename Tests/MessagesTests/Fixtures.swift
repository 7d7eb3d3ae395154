import Messages
import Testing

/// A command from its JSON.
func command(_ node: Node, _ json: String) -> Command {
    Command(for: node, payload: Array(json.utf8))
}

/// Why a payload was refused; nil when it wasn't.
func refusal(_ node: Node, _ json: String) -> CommandError? {
    if case .failure(let error) = command(node, json).body { error } else { nil }
}

/// Expects that a payload is refused with this code and for this field, in words for a person.
func expectRefusal(
    _ node: Node, _ json: String, _ code: CommandError.Code = .badPayload, field: String?,
    at location: SourceLocation = #_sourceLocation
) {
    guard let error = refusal(node, json) else {
        Issue.record("\(json) was taken", sourceLocation: location)
        return
    }
    #expect(error.code == code, sourceLocation: location)
    #expect(error.field == field, sourceLocation: location)
    #expect(error.message.count > 10 && error.message.hasSuffix("."), sourceLocation: location)
}

/// Any JSON value, to compare messages with what they ought to be.
enum JSONValue: Decodable, Equatable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([JSONValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}

/// Expects that a message is this JSON: the same fields, no others, with the same values. With a topic (below
/// the agent's) the schema of that topic has to allow it too.
func expect(
    _ message: some Encodable, is json: String, on topic: String? = nil,
    at location: SourceLocation = #_sourceLocation
) {
    let bytes = JSON.bytes(message)
    if let topic { PublishedMessages.add(bytes, on: "v4l2mqtt/agent/\(topic)") }
    let written = JSON.value(JSONValue.self, from: bytes)
    let expected = JSON.value(JSONValue.self, from: Array(json.utf8))
    #expect(expected != nil && written == expected, sourceLocation: location)
}

extension PhotoFields {
    static let sample = PhotoFields(
        path: "door/42.jpg", bytes: 123_456, width: 1920, height: 1080, quality: 85, factor: 2.5,
        viewport: ViewportField(x: 0.25, y: 0.125, width: 0.5, height: 0.5), frame: 7,
        exposedAt: "2026-11-21T09:05:38.958Z", requestedAt: "2026-11-21T09:05:38.900Z", sequence: 42,
        index: 1, of: 3)

    static let sampleJSON = """
        {"path":"door/42.jpg","bytes":123456,"width":1920,"height":1080,"quality":85,"factor":2.5,
         "viewport":{"x":0.25,"y":0.125,"width":0.5,"height":0.5},"frame":7,
         "exposed_at":"2026-11-21T09:05:38.958Z","requested_at":"2026-11-21T09:05:38.900Z",
         "sequence":42,"index":1,"of":3}
        """
}
