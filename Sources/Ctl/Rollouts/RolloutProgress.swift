internal import Base
internal import Contract

/// How far a rollout is, as it is printed after each step and at the end.
struct RolloutProgress {
    let group: String
    let version, step, cameras: Int
    let total: GroupTally
    let waiting, offline: Int
    let isFinished: Bool

    private var json: JSON {
        var fields: JSONObject = [
            "group": .text(group), "version": .integer(version), "step": .integer(step),
            "cameras": .integer(cameras),
        ]
        total.add(to: &fields)
        fields["waiting"] = .integer(waiting)
        fields["offline"] = .integer(offline)
        fields["finished"] = .flag(isFinished)
        return .object(fields)
    }

    func line(json: Bool, isEnd: Bool = false) -> PrintableLine {
        if json { return JSON.line(self.json) }
        let beginning = isEnd ? (isFinished ? "finished" : "stopped") : "step \(step)"
        let others = [(waiting, "waiting"), (offline, "offline")].filter { $0.0 > 0 }
            .map { ", \($0.0) \($0.1)" }.joined()
        return "\(group) version \(version), \(beginning): \(total.text)\(others), of \(cameras)"
    }
}
