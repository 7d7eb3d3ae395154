internal import Contract
internal import Fleet

/// The metrics of one agent.
struct AgentMetrics: Facts {
    /// The parts of an agent's `info` that are shown.
    private struct Info: Form {
        var version: String?
        var host: String?
        var `protocol`: Int?
        var hasSameName: Bool
        var fleet: FleetVersion?

        init(_ f: inout some FormVisitor<Self>) {
            version = f.maybe("version", \.version, .any, "")
            host = f.maybe("host", \.host, .any, "")
            `protocol` = f.maybe("protocol", \.protocol, .from(1), "")
            hasSameName = f.maybe("same_name", { _ in JSON?.none }, .any, "") != nil
            fleet = f.maybe("fleet", \.fleet, .any, "")
        }
    }

    private struct FleetVersion: Form {
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

    private var info: Info?
    /// How often the agent has started.
    private(set) var boot: Double?
    /// When the last message came, in seconds since 1970. Messages that the broker kept count too: a broker
    /// does not say when they were published.
    private(set) var lastMessage: Double?

    /// Notes that a message of the agent or of one of its cameras came.
    mutating func hear(at seconds: Double) { lastMessage = seconds }

    mutating func take(_ node: String, _ payload: [UInt8], at time: ContinuousClock.Instant) {
        switch node {
        case "info": info = JSON.state(payload)
        case "availability":
            let availability: Availability? = JSON.state(payload)
            boot = availability?.boot.map(Double.init)
        default: break
        }
    }

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
