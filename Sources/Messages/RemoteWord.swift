/// The word that a remote button sends, from whatever it sends.
package struct RemoteWord {
    package let text: String

    /// - Parameters:
    ///   - field: where in a JSON object the word is, level by level; empty: the payload is the word, as text or as JSON.
    package init?(in payload: [UInt8], field: [String]) {
        guard payload.count <= Command.largest else { return nil }
        guard let document = try? JSONDocument(payload) else {
            // Many a sender ends it with a new line.
            guard field.isEmpty, let text = String(validating: payload, as: UTF8.self) else { return nil }
            self.text = String(
                text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            return
        }
        var part = JSONPart(document)
        for name in field {
            guard case .object = part.kind, let inner = part[name] else { return nil }
            part = inner
        }
        switch part.kind {
        case .text(let text): self.text = text
        case .integer(let number): text = "\(number)"
        case .flag(let flag): text = "\(flag)"
        case .object, .list, .real, .null: return nil
        }
    }
}
