internal import Base
internal import Contract

/// How far a rollout is, as it is printed after each step and at the end.
struct RolloutProgress: Encodable {
    let group: String
    let version, step, cameras: Int
    /// All runs with the same state file.
    let total: GroupTally
    /// This run.
    let tally: GroupTally
    let waiting, offline: Int
    let isFinished: Bool

    private enum CodingKeys: String, CodingKey {
        case group, version, step, cameras, waiting, offline, finished
    }

    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(group, forKey: .group)
        try fields.encode(version, forKey: .version)
        try fields.encode(step, forKey: .step)
        try fields.encode(cameras, forKey: .cameras)
        try total.encode(to: encoder)
        try fields.encode(waiting, forKey: .waiting)
        try fields.encode(offline, forKey: .offline)
        try fields.encode(isFinished, forKey: .finished)
    }

    func line(json: Bool, isEnd: Bool = false) -> PrintableLine {
        if json { return JSON.line(self) }
        let beginning = isEnd ? (isFinished ? "finished" : "stopped") : "step \(step)"
        let others = [(waiting, "waiting"), (offline, "offline")].filter { $0.0 > 0 }
            .map { ", \($0.0) \($0.1)" }.joined()
        return "\(group) version \(version), \(beginning): \(total.text)\(others), of \(cameras)"
    }
}
