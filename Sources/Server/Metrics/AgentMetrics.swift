internal import Contract

/// The metrics of one agent.
struct AgentMetrics: RetainedEntry {
    /// The parts of an agent's `info` that are shown.
    private struct Info: Form {
        var version: String?
        var host: String?
        var `protocol`: Int?
        var cameras: [String]?
        var hasSameName: Bool
        var fleet: Fleet?

        init(_ f: inout some FormVisitor<Self>) {
            version = f.maybe("version", \.version, .any, "")
            host = f.maybe("host", \.host, .any, "")
            `protocol` = f.maybe("protocol", \.protocol, .any, "")
            cameras = f.maybe("cameras", \.cameras, .each(.any), "")
            hasSameName = f.maybe("same_name", { _ in JSON?.none }, .any, "") != nil
            fleet = f.maybe("fleet", \.fleet, .any, "")
        }
    }

    private struct Fleet: Form {
        var version: Int?
        var refused: Refusal?

        init(_ f: inout some FormVisitor<Self>) {
            version = f.maybe("version", \.version, .any, "")
            refused = f.maybe("refused", \.refused, .any, "")
        }
    }

    private struct Refusal: Form {
        var error: ErrorCode?

        init(_ f: inout some FormVisitor<Self>) { error = f.maybe("error", \.error, .any, "") }
    }

    static let states = ["info", "availability"]

    private var info: Info?
    private var availability: Availability?
    /// Until this time the agent is online, if it does not renew its availability; nil: until another one
    /// comes.
    private var onlineUntil: ContinuousClock.Instant?
    /// When the last message came, in seconds since 1970. Messages that the broker kept count too: a broker
    /// does not say when they were published.
    private(set) var lastMessage: Double?

    var isEmpty: Bool { info == nil && availability == nil }

    /// Notes that a message of the agent or of one of its cameras came.
    mutating func hear(at seconds: Double) { lastMessage = seconds }

    mutating func take(_ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant) {
        switch node {
        case "info": info = JSON.state(payload)
        case "availability":
            availability = JSON.state(payload)
            onlineUntil = availability?.lifetimeSeconds.map { time + .seconds($0) }
        default: break
        }
    }

    /// Whether it is not known if the agent is online: it should have renewed its availability and has not,
    /// or the broker has deleted the availability at its end. It may have died together with the broker's
    /// node.
    func isOverdue(at time: ContinuousClock.Instant) -> Bool {
        availability == nil || onlineUntil.map { time > $0 } ?? false
    }

    /// 1: online; 0: it is not; NaN: not known.
    func up(at time: ContinuousClock.Instant) -> Double {
        if isOverdue(at: time) { return .nan }
        return availability?.state == .online ? 1 : 0
    }

    /// The cameras as the agent's `info` lists them; nil: none has come.
    var cameras: [String]? { info.map { $0.cameras ?? [] } }

    var boot: Double? { availability?.boot.map(Double.init) }

    /// 1: another device uses the agent's name too.
    var hasSameName: Double? { info.map { $0.hasSameName ? 1 : 0 } }
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

/// The part of an error that is shown.
struct ErrorCode: Form {
    var code: String?

    init(_ f: inout some FormVisitor<Self>) { code = f.maybe("code", \.code, .any, "") }
}

extension JSON {
    /// The state in a retained message; nil if there is none, or it is no such state.
    static func state<Fields: Form>(_ payload: [UInt8]) -> Fields? {
        payload.isEmpty ? nil : value(Fields.self, from: payload)
    }
}
