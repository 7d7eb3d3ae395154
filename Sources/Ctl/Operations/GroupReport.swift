package import Base
internal import Contract
internal import Fleet

/// What came of an operation at each camera of a group.
package struct GroupReport: Sendable {
    struct Camera: Sendable {
        let address: CameraAddress
        var result: MemberResult
        /// The final answer to a command.
        var reply: Reply?
        /// The end of a recording that was waited for.
        var recording: RecordingFields?
        /// Copies of photos and recordings on this machine; nil: none were asked for.
        var files: [WrittenCopy]?

        /// What a camera did, in lines of text. The first line of an answer is the bare status.
        fileprivate var lines: [String] {
            if files != nil { return [] }
            if let recording { return recording.lines }
            return reply?.lines(listing: []).dropFirst().map(\.text) ?? []
        }
    }

    let group: String
    /// Why cameras of the group may be missing; nil: none is, as far as is known.
    var incompleteNote: String?
    /// Sorted by their addresses.
    var cameras: [Camera]

    private var tally: GroupTally { GroupTally(cameras.map(\.result)) }

    /// 0 if each camera did it, and all are known; otherwise 1.
    var exitCode: Int32 { tally.failures == 0 && incompleteNote == nil ? 0 : 1 }

    /// The lines for standard error: a line for each reason, with the cameras that did not do it.
    package var errors: [PrintableLine] {
        let failures = cameras.compactMap { camera in
            camera.result.failure.map { (name: "\(camera.address)", text: $0) }
        }
        return (failures.onceEach("cameras") + [incompleteNote].compactMap { $0 }).map { PrintableLine($0) }
    }

    /// The lines for standard output.
    package func lines(json: Bool) -> [PrintableLine] {
        if json { return [JSON.line(self.json)] }
        let done = cameras.filter { $0.result == .done }.flatMap { camera in
            camera.lines.map { PrintableLine("\(camera.address): \($0)") }
        }
        return done + ["\(group): \(tally.text)"]
    }
}

extension MemberResult {
    /// Why it isn't done; nil: it is.
    var failure: String? {
        switch self {
        case .done: nil
        case .refused(let reason, let message):
            message.map { "\(reason): \(CommandError.hint($0))" } ?? reason
        case .silent(let reason): reason
        }
    }
}

/// How many cameras of a group did what.
struct GroupTally: Equatable {
    private(set) var done = 0
    /// By the word of ``MemberResult/refused(reason:message:)``.
    private(set) var refused: [String: Int] = [:]
    private(set) var silent = 0

    mutating func add(_ result: MemberResult) {
        switch result {
        case .done: done += 1
        case .refused(let reason, _): refused[reason, default: 0] += 1
        case .silent: silent += 1
        }
    }

    init(_ results: some Sequence<MemberResult> = []) {
        for result in results { add(result) }
    }

    /// Adds the counts as fields.
    func add(to fields: inout JSONObject) {
        fields["done"] = .integer(done)
        fields["refused"] = .object(
            JSONObject(distinct: refused.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }))
        fields["silent"] = .integer(silent)
    }

    /// The cameras that didn't do it.
    var failures: Int { refused.values.reduce(silent, +) }

    /// For example `12 done, 3 refused (busy 2, held 1), 1 silent`.
    var text: String {
        let reasons = refused.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let all = refused.values.reduce(0, +)
        let detail = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
        return "\(done) done, \(all) refused\(detail), \(silent) silent"
    }
}

/// As `--json` prints it.
extension GroupReport {
    private var json: JSON {
        var fields: JSONObject = ["group": .text(group)]
        tally.add(to: &fields)
        fields["cameras"] = .list(cameras.map(\.json))
        return .object(fields)
    }
}

extension GroupReport.Camera {
    fileprivate var json: JSON {
        let word =
            switch result {
            case .done: "done"
            case .refused: "refused"
            case .silent: "silent"
            }
        return .object([
            "agent": .text(address.agent), "camera": .text(address.camera), "result": .text(word),
            "reason": result.failure.map(JSON.text), "reply": reply?.json, "recording": recording?.json,
            "files": files.map { .list($0.map(\.json)) },
        ])
    }
}

extension [(name: String, text: String)] {
    /// A line for each text in the order of its first name, with the name, or with the number of names and
    /// the first ones.
    ///
    /// - Parameter things: what has these names.
    func onceEach(_ things: String) -> [String] {
        var names: [String: [String]] = [:]
        for (name, text) in self { names[text, default: []].append(name) }
        return compactMap { name, text in
            guard let all = names[text], all.first == name else { return nil }
            return all.count == 1
                ? "\(name): \(text)" : "\(all.count) \(things) (\(all.listed(atMost: 8))): \(text)"
        }
    }
}
