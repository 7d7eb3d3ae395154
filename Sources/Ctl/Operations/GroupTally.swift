internal import Contract
internal import Fleet

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
