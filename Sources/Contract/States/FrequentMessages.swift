/// A message that is sent many times a second, or a part of one: it writes its fields itself, which takes a
/// third of the time of the containers of `Encodable`.
package protocol FrequentMessage: Encodable {
    /// Writes the fields in the order of their declaration.
    func writeFields(to json: inout JSONWriter)
}

extension FrequentMessage {
    package func encode(to encoder: any Encoder) throws {
        guard let encoding = encoder as? JSONEncoding else { throw JSONEncoding.isMissing(encoder, self) }
        encoding.beginObject()
        writeFields(to: &encoding.json)
    }
}

extension CommandError: FrequentMessage {
    package func writeFields(to json: inout JSONWriter) {
        json.field("code", code.rawValue)
        json.field("message", message)
        json.field("field", field)
    }
}

extension Reply: FrequentMessage {
    package func writeFields(to json: inout JSONWriter) {
        json.field("id", id)
        json.field("client", client)
        json.field("camera", camera)
        json.field("node", node)
        json.field("status", status.rawValue)
        json.field("rev", rev)
        json.field("boot", boot)
        json.field("clamped", clamped)
        json.field("factor", factor)
        json.field("target", target)
        json.field("photos", encodable: photos)
        json.field("recording", encodable: recording)
        json.field("session", encodable: session)
        json.field("values", encodable: values)
        json.field("media", encodable: media)
        json.field("next", next)
        json.field("file", encodable: file)
        json.field("error", error)
        json.field("state", state)
        json.field("persisted", isPersisted)
        json.field("ts", ts)
    }
}
