internal import Contract

/// What came of a command at one camera of a group.
enum MemberResult: Sendable, Equatable {
    case done
    /// With the code of the error, or `superseded`.
    case refused(reason: String, message: String?)
    /// No answer came in time.
    case silent(reason: String)

    /// The result that a final answer is; nil: it is none.
    init?(_ reply: Reply) {
        switch reply.status {
        case .accepted: return nil
        case .done:
            if let error = reply.error { self = .refused(error) } else { self = .done }
        case .superseded: self = .refused(reason: Reply.Status.superseded.rawValue, message: nil)
        case .error: self = reply.error.map(Self.refused) ?? .refused(reason: "error", message: nil)
        }
    }

    /// The result that an outcome of a desired state is; nil: it is being applied.
    init?(_ known: DesiredState.Known) {
        switch known.outcome {
        case .applying: return nil
        case .applied: self = .done
        case .superseded: self = .refused(reason: known.outcome.rawValue, message: nil)
        case .failed: self = known.error.map(Self.refused) ?? .refused(reason: "failed", message: nil)
        }
    }

    /// The result that the end of a recording is which was to end by itself.
    init(_ recording: RecordingFields) {
        if let error = recording.error {
            let kept = recording.path.map { "; the incomplete file is \($0)" } ?? ""
            self = .refused(reason: error.code.rawValue, message: error.message + kept)
        } else if recording.reason.isRequested {
            self = .done
        } else {
            let kept = recording.path.map { "; its file is \($0)" } ?? ""
            self = .refused(
                reason: recording.reason.rawValue, message: "The recording ended early\(kept)")
        }
    }

    static func refused(_ error: CommandError) -> Self {
        .refused(reason: error.code.rawValue, message: error.message)
    }

    /// Why it isn't done; nil: it is.
    var failure: String? {
        switch self {
        case .done: nil
        case .refused(let reason, let message): message.map { "\(reason): \($0)" } ?? reason
        case .silent(let reason): reason
        }
    }
}

/// How many cameras of a group did what.
struct GroupTally: Equatable {
    private(set) var done = 0
    /// By the code of the error, or `superseded`.
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
