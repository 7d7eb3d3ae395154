/// Reads the word of a remote button from the payload of its message.
package struct RemoteWord {
    package let text: String

    /// - Parameters:
    ///   - field: where in a JSON object the word is, level by level; empty: the payload is the word, as text
    ///     or as JSON.
    package init?(in payload: [UInt8], field: [String]) {
        guard payload.count <= Command.largest else { return nil }
        guard var part = JSON(payload) else {
            // Some senders append a newline.
            let word = payload.drop(while: \.isJSONSpace).reversed().drop(while: \.isJSONSpace).reversed()
            guard field.isEmpty, !word.isEmpty, let text = String(validating: word, as: UTF8.self) else {
                return nil
            }
            self.text = text
            return
        }
        for name in field {
            guard let inner = part.object?[name] else { return nil }
            part = inner
        }
        switch part {
        case .text(let text): self.text = text
        case .integer(let number): text = "\(number)"
        case .flag(let flag): text = "\(flag)"
        case .object, .list, .number, .null: return nil
        }
    }
}
