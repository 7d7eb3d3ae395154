internal import Messages

/// The metrics of one agent.
struct AgentMetrics {
    /// The parts of an agent's `info` that are shown.
    private struct Info: Decodable {
        var version: String?
        var host: String?
        var `protocol`: Int?
        var sameName: SameName?
        var fleet: Fleet?

        struct SameName: Decodable {}

        struct Fleet: Decodable {
            var version: Int?
            var refused: Refusal?
        }

        struct Refusal: Decodable {
            var error: Failure?
        }

        struct Failure: Decodable {
            var code: String?
        }

        private enum CodingKeys: String, CodingKey {
            case version, host, `protocol`, fleet
            case sameName = "same_name"
        }
    }

    private var info: Info?
    private var availability: Availability?
    /// Until this time the agent is online, if it does not renew its availability; nil: until another one
    /// comes.
    private var onlineUntil: ContinuousClock.Instant?
    /// When the last message came, in seconds since 1970. Messages that the broker kept count too: a broker
    /// does not say when they were published.
    private(set) var lastMessage: Double?

    /// Whether there is anything to show.
    var isKnown: Bool { info != nil || availability != nil }

    /// Notes that a message of the agent or of one of its cameras came.
    mutating func hear(at seconds: Double) { lastMessage = seconds }

    /// Takes the agent's `info`; an empty payload removes it.
    mutating func take(info payload: [UInt8]) {
        info = payload.isEmpty ? nil : JSON.value(Info.self, from: payload)
    }

    /// Takes the agent's `availability`; an empty payload removes it.
    mutating func take(availability payload: [UInt8], at time: ContinuousClock.Instant) {
        availability = payload.isEmpty ? nil : JSON.value(Availability.self, from: payload)
        onlineUntil = availability?.lifetimeSeconds.map { time + .seconds($0) }
    }

    /// Whether the agent should have renewed its availability, and has not: it may have died together with
    /// the broker's node.
    func isOverdue(at time: ContinuousClock.Instant) -> Bool {
        onlineUntil.map { time > $0 } ?? false
    }

    /// 1: online; 0: it is not; NaN: not known, because its last message is too old.
    func up(at time: ContinuousClock.Instant) -> Double {
        guard availability?.state == .online else { return 0 }
        return isOverdue(at: time) ? .nan : 1
    }

    var boot: Double? { availability?.boot.map(Double.init) }

    /// 1: another device uses the agent's name too.
    var hasSameName: Double? { info.map { $0.sameName == nil ? 0 : 1 } }
    /// The version of the fleet's configuration that is in effect.
    var fleetVersion: Double? { info?.fleet?.version.map(Double.init) }
    /// The code of the error for which a newer version is not in effect; nil: there is none.
    var fleetRefusal: String? { info?.fleet?.refused.map { LabelText.of($0.error?.code) } }

    /// The labels of what does not change while the agent runs.
    var labels: [MetricText.Label]? {
        info.map { info in
            [
                ("version", LabelText.of(info.version)), ("host", LabelText.of(info.host)),
                ("protocol", info.protocol.map { "\($0)" } ?? ""),
            ]
        }
    }
}
