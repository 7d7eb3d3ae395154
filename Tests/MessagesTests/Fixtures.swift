import Contract
import TestSupport
import Testing
import ZoomModel

/// A command from its JSON.
func command(_ node: Node, _ json: String) -> Command {
    Command(for: node, payload: Array(json.utf8))
}

/// The error of a payload; nil for a valid one.
func refusal(_ node: Node, _ json: String) -> CommandError? {
    if case .failure(let error) = command(node, json).body { error } else { nil }
}

/// Expects that a payload is refused with this code, this field, and a message that is a sentence.
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

/// Expects that a message is this JSON: the same fields, no others, with the same values. With a topic (below
/// the agent's) the schema of that topic has to allow it too.
func expect<Message: FieldValue>(
    _ message: Message, is json: String, on topic: String? = nil,
    at location: SourceLocation = #_sourceLocation
) where Message.Rule == AnyRule {
    let bytes = JSON.bytes(message)
    if let topic { MessageFile.add(bytes, on: "v4l2mqtt/agent/\(topic)") }
    let expected = JSON(Array(json.utf8))
    #expect(expected != nil && JSON(bytes) == expected, sourceLocation: location)
}

extension PhotoFields {
    static let example = PhotoFields(
        path: "door/42.jpg", bytes: 123_456, width: 1920, height: 1080, quality: 85, factor: 2.5,
        viewport: Viewport(x: 0.25, y: 0.125, width: 0.5, height: 0.5), frame: 7,
        exposedAt: "2026-11-21T09:05:38.958Z", requestedAt: "2026-11-21T09:05:38.900Z", sequence: 42,
        index: 1, of: 3)

    static let exampleJSON = """
        {"path":"door/42.jpg","bytes":123456,"width":1920,"height":1080,"quality":85,"factor":2.5,
         "viewport":{"x":0.25,"y":0.125,"width":0.5,"height":0.5},"frame":7,
         "exposed_at":"2026-11-21T09:05:38.958Z","requested_at":"2026-11-21T09:05:38.900Z",
         "sequence":42,"index":1,"of":3}
        """
}
