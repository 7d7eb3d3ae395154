/// A text that says what is sent to an agent, what happens to its cameras, and what follows.
///
///     # A comment.
///     : cameras.0.external reassert                        a key of the configuration, and its value
///     A> zoom {"factor": 2}  < done                        the client A sends a command; all of its answers
///     A> zoom {"factor": 8, "rate": 1}  < accepted, error device {"field": "x"}
///     A!> gate/zoom 2  < done                              proved, and to another camera than `door`
///     B> groups/all/zoom 2  < done, done                   to a group
///     = zoom {"factor": 2}                                 the last state has these fields
///     ! event {"event": "refused"}                         published since the last line with `!`
///     device fail lens                                     something happens to `door`
///     device gate unplug                                   … and to another camera
///     +2s                                                  time passes; also `ms`
///     stop                                                 the agent begins to stop
///
/// `door` has a lens up to 4× at the beginning, unless the first line is `: device none`. Answers are
/// compared at the end: `-` for none, `bytes` for a picture or a part of a file. In a state, `"-"` is a field
/// that is absent.
package struct Scenario {
    struct Line {
        var number: Int
        var text: String
        var action: Action
    }

    enum Action {
        case command(client: String, isProved: Bool, target: String, payload: String, [ExpectedAnswer]?)
        case state(target: String, JSON)
        case published(target: String, JSON)
        case device(DeviceEffect, camera: String)
        case pass(Duration)
        case stop
    }

    struct ExpectedAnswer {
        var status: String
        var code: String?
        var fields: JSON?
    }

    package struct Failure: Error, CustomStringConvertible {
        let line: Int
        let words: String

        package var description: String { "line \(line): \(words)" }
    }

    let lines: [Line]
    let configuration: [(String, String)]
    let hasDevice: Bool

    package init(_ text: String) throws(Failure) {
        var lines: [Line] = []
        var configuration = [
            ("agent", "porch"), ("cameras.0.id", "door"), ("home_assistant.discovery", "false"),
        ]
        var hasDevice = true
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line == ": device none" {
                hasDevice = false
            } else if let setting = line.after(":") {
                let (key, value) = setting.firstWord
                configuration.append((key, value))
            } else if let action = Action(line) {
                lines.append(Line(number: index + 1, text: line, action: action))
            } else {
                throw Failure(line: index + 1, words: "not understood: \(line)")
            }
        }
        (self.lines, self.configuration, self.hasDevice) = (lines, configuration, hasDevice)
    }
}

extension Scenario.Action {
    init?(_ line: String) {
        if line == "stop" {
            self = .stop
        } else if let time = line.after("+") {
            guard let number = Double(time.prefix { $0.isNumber || $0 == "." }) else { return nil }
            switch time.drop(while: { $0.isNumber || $0 == "." }) {
            case "s": self = .pass(.seconds(number))
            case "ms": self = .pass(.milliseconds(number))
            default: return nil
            }
        } else if let text = line.after("=") {
            let (target, fields) = text.firstWord
            guard let fields = JSON(fields) else { return nil }
            self = .state(target: target, fields)
        } else if let text = line.after("!") {
            let (target, fields) = text.firstWord
            guard let fields = JSON(fields) else { return nil }
            self = .published(target: target, fields)
        } else if let text = line.after("device") {
            let (first, rest) = text.firstWord
            let isEffect = DeviceEffect.effects[first] != nil
            guard isEffect || DeviceEffect.effects[rest.firstWord.0] != nil else { return nil }
            self = .device(DeviceEffect(isEffect ? text : rest), camera: isEffect ? "door" : first)
        } else if let mark = line.firstIndex(of: ">") {
            let client = String(line[..<mark])
            var (target, payload) = String(line[line.index(after: mark)...]).trimmed.firstWord
            var answers: [Scenario.ExpectedAnswer]?
            if let range = payload.firstRange(of: payload.hasPrefix("<") ? "<" : " <") {
                guard let expected = Scenario.answers(String(payload[range.upperBound...])) else {
                    return nil
                }
                answers = expected
                payload = String(payload[..<range.lowerBound]).trimmed
            }
            self = .command(
                client: client.replacing("!", with: "").lowercased(), isProved: client.hasSuffix("!"),
                target: target, payload: payload, answers)
        } else {
            return nil
        }
    }
}

extension Scenario {
    /// - Parameter text: `accepted, error device {"field": "x"}`.
    fileprivate static func answers(_ text: String) -> [ExpectedAnswer]? {
        if text.trimmed == "-" { return [] }
        var answers: [ExpectedAnswer] = []
        var depth = 0
        var parts = [""]
        for character in text {
            if character == "{" || character == "[" { depth += 1 }
            if character == "}" || character == "]" { depth -= 1 }
            if character == "," && depth == 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        for part in parts {
            let brace = part.firstIndex(of: "{") ?? part.endIndex
            let words = part[..<brace].split(separator: " ").map(String.init)
            guard let status = words.first, words.count <= 2 else { return nil }
            var fields: JSON?
            if brace < part.endIndex {
                fields = JSON(String(part[brace...]).trimmed)
                if fields == nil { return nil }
            }
            answers.append(ExpectedAnswer(status: status, code: words.dropFirst().first, fields: fields))
        }
        return answers
    }
}

extension StringProtocol {
    var trimmed: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " || $0 == "\r" }.reversed())
    }

    /// The first word, and what follows it.
    var firstWord: (String, String) {
        let word = prefix { $0 != " " }
        return (String(word), dropFirst(word.count).trimmed)
    }

    /// What follows a mark at the start, with or without a space; nil: it isn't there.
    func after(_ mark: String) -> String? { hasPrefix(mark) ? dropFirst(mark.count).trimmed : nil }
}
