internal import Base
internal import Contract

extension JSON {
    /// A message as a line of JSON.
    static func line<Message: FieldValue>(_ message: Message) -> PrintableLine where Message.Rule == AnyRule {
        PrintableLine(String(decoding: bytes(message), as: UTF8.self))
    }
}

extension CommandError {
    /// The error in one line: its code and its message, with options in the place of fields.
    var text: String { "\(code.rawValue): \(hint)" }

    /// The message, with the words of the command line for what the agent names as fields.
    var hint: String { Self.hint(message) }

    static func hint(_ message: String) -> String {
        message.replacing("send at_any_clock:true", with: "give --any-clock")
            .replacing("take it with force:true", with: "take it with \"ctl lease take --force\"")
    }

    /// An error that `ctl` itself found, as a line of JSON.
    var line: PrintableLine { PrintableLine(String(decoding: asReply, as: UTF8.self)) }
}

extension ControlValue {
    /// The value as it is written on the command line.
    var text: String {
        switch self {
        case .number(let number): number.roundedText
        case .flag(let flag): flag ? "on" : "off"
        case .text(let text): text
        }
    }
}

extension Reply {
    /// A final answer without an error as lines of text.
    ///
    /// - Parameter controls: the controls whose values are listed. A reply to `controls/set` has the values
    ///   of all.
    func lines(listing controls: Set<String>) -> [PrintableLine] {
        var words = [status.rawValue]
        if let factor { words.append("factor \(factor)") }
        if let target, target != factor { words.append("target \(target)") }
        if clamped == true { words.append("clamped") }
        if let rev { words.append("rev \(rev)") }
        var lines = [words.joined(separator: ", ")]
        lines += (photos ?? []).map { photo in
            let offset = photo.offset.map { ", \($0) ms from its time" } ?? ""
            return "\(photo.path) \(photo.width)x\(photo.height)\(offset)"
        }
        if let recording { lines += recording.lines }
        lines += (values ?? [:]).filter { controls.contains($0.key) }.sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value.text)" }
        return lines.map { PrintableLine($0) }
    }
}

extension RecordingFields {
    /// The files of a finished recording in their order, each in a line.
    var lines: [String] { (earlier ?? []).map(Self.line(ofEarlier:)) + [line] }

    /// A file before the last one, of which only the path is known.
    static func line(ofEarlier path: String) -> String { "\(path), continued in the next file" }

    /// The file in one line: its path, size, duration and the reason of its end.
    var line: String {
        let tenths = Int(min(max(duration, 0), 1e9) * 10)
        let size = "\(width)x\(height), \(tenths / 10).\(tenths % 10) s, \(bytes.bytesText)"
        let missing = lost > 0 ? ", \(lost) frames lost" : ""
        let end = reason.rawValue + (cause.map { " (\($0.rawValue))" } ?? "")
        return "\(path ?? "no file"), \(size), \(end)\(missing)"
    }

    /// What went wrong with the file; nil: nothing did.
    var failure: String? {
        error.map { $0.text + (path.map { "; the incomplete file is \($0)" } ?? "") }
    }
}
