/// A received command: its sender, and its content or the reason why that cannot be read.
package struct Command: Sendable {
    package var envelope: Envelope
    package let body: Result<any CommandForm, CommandError>

    /// The largest payload that is decoded, in bytes. The longest useful command is one of `desired` with a
    /// session, a zoom and 64 controls: about 8,000 bytes, and twice as many when it is indented.
    static let largest = 16_384

    /// Reads the payload of a command. For any bytes, the result is the command or the error.
    package init(for node: Node, payload: [UInt8]) {
        (envelope, body) = node.contract.receive(payload)
    }

    /// A payload that isn't JSON, as one word.
    fileprivate static func singleWord(_ payload: [UInt8]) -> String? {
        let words = payload.split(maxSplits: 2, whereSeparator: \.isJSONSpace)
        guard words.count == 1, words[0].count <= 64 else { return nil }
        return String(validating: words[0], as: UTF8.self)
    }
}

extension CommandForm {
    package static func receive(_ payload: [UInt8]) -> (Envelope, Result<any CommandForm, CommandError>) {
        var envelope = Envelope()
        do throws(CommandError) {
            if payload.count > Command.largest {
                throw CommandError(
                    .tooLarge,
                    "The payload has \(payload.count) bytes; a command has at most \(Command.largest).")
            }
            if payload.allSatisfy(\.isJSONSpace) {
                guard let content = Self.ofEmptyPayload else {
                    throw CommandError(.badPayload, "The payload is empty; a command is a JSON object.")
                }
                return (envelope, .success(content))
            }
            let part: JSON
            do throws(CommandError) {
                part = try JSON(reading: payload, within: .command)
            } catch {
                guard let word = Command.singleWord(payload), let content = Self(shortForm: word) else {
                    throw error
                }
                return (envelope, .success(content))
            }
            if let content = try Self(bare: part) { return (envelope, .success(content)) }
            guard case .object(let object) = part else {
                throw CommandError(.badPayload, "A command is a JSON object; found \(part.words).")
            }
            var fields = FieldReader(object, .strict)
            envelope.read(&fields, of: Self.self)
            if mayWait, fields.has("cancel") {
                let cancel = fields.read(Envelope.Cancel.self)
                if envelope.at != nil, fields.error == nil {
                    throw FormError(.field("at"), "unknown field.").asCommandError
                }
                try fields.endCommand()
                return (envelope, .success(cancel))
            }
            let content = fields.read(Self.self)
            try fields.endCommand()
            if envelope.at != nil && !content.policy.mayWait {
                throw FormError(.field("at"), "not allowed with phase or stop.").asCommandError
            }
            return (envelope, .success(content))
        } catch {
            return (envelope, .failure(error))
        }
    }
}
