internal import FoundationEssentials

/// What a run of a swarm has measured. Its names are those of its JSON.
package struct SwarmReport: Sendable, Equatable, Codable {
    /// One scenario. Times are in seconds from its begin.
    package struct Scenario: Sendable, Equatable, Codable {
        package var name: String
        /// From the begin of the run.
        package var begin_s: Double
        /// Until the last message that it caused.
        package var duration_s: Double
        /// When the first agent, the median one and the last one did what the scenario waits for; nil: none
        /// did.
        package var first_s: Double?
        package var median_s: Double?
        package var last_s: Double?
        /// The agents that did not.
        package var missing: Int
        /// The messages that the agents published.
        package var messages: Int
        /// The most of them in any second.
        package var peak_messages_per_s: Int
        /// With `group`: the errors that were answered, by code.
        package var refusals: [String: Int]?
        /// With `restart`: how many connections were lost.
        package var lost: Int?

        package init(
            name: String, begin: Duration, end: Duration, _ times: AgentTimes, _ counts: MessageCounts
        ) {
            self.name = name
            begin_s = Self.rounded(begin / .seconds(1))
            duration_s = Self.rounded((end - begin) / .seconds(1))
            let statistics = times.statistics(since: begin)
            first_s = statistics.map { Self.rounded($0.first) }
            median_s = statistics.map { Self.rounded($0.median) }
            last_s = statistics.map { Self.rounded($0.last) }
            missing = times.missing
            messages = counts.count(in: begin..<max(begin, end))
            peak_messages_per_s = counts.peak(in: begin..<max(begin, end))
        }

        /// To a thousandth.
        private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
    }

    package struct Retained: Sendable, Equatable, Codable {
        /// The messages of one agent with one camera.
        package var messages: Int
        /// The bytes of their payloads.
        package var bytes: Int
        /// Of these, the discovery document of Home Assistant; 0: there is none.
        package var discovery_bytes: Int

        package init(messages: Int, bytes: Int, discoveryBytes: Int) {
            (self.messages, self.bytes, discovery_bytes) = (messages, bytes, discoveryBytes)
        }
    }

    package struct BrokerMemory: Sendable, Equatable, Codable {
        package var before_bytes: Int
        package var after_bytes: Int
        package var bytes_per_camera: Int

        /// - Parameters:
        ///   - before: in bytes, before any agent had connected.
        ///   - after: in bytes, when all agents had connected.
        package init(before: Int, after: Int, cameras: Int) {
            (before_bytes, after_bytes) = (before, after)
            bytes_per_camera = (after - before) / cameras
        }
    }

    /// A second of the run.
    package struct Second: Sendable, Equatable, Codable {
        /// The agents that were connected and subscribed at its end.
        package var connected: Int
        package var messages: Int

        package init(connected: Int, messages: Int) {
            (self.connected, self.messages) = (connected, messages)
        }
    }

    package var version: String
    package var started: String
    package var hosts: [String]
    package var agents: Int
    package var processes: Int
    package var spread_s: Int
    package var retained: Retained?
    /// Of the processes that were named.
    package var broker_memory: BrokerMemory?
    /// Of the swarm, for each agent.
    package var own_bytes_per_agent: Int?
    /// The agents that had connected, and whose `online` had not come a second after the last message. If
    /// there are any, the broker has dropped messages for this program: it has counted too few.
    package var not_observed: Int?
    package var scenarios: [Scenario] = []
    package var seconds: [Second] = []
    /// Why the run has failed; empty: it has not.
    package var failures: [String] = []

    package init(
        version: String, started: String, hosts: [String], agents: Int, processes: Int, spread: Int
    ) {
        (self.version, self.started, self.hosts) = (version, started, hosts)
        (self.agents, self.processes, spread_s) = (agents, processes, spread)
    }

    /// JSON for people and programs.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Notes as failures what is missing, and the limits that are exceeded.
    package mutating func judge(by limits: [SwarmLimit]) {
        for scenario in scenarios where scenario.missing > 0 {
            failures.append("\(scenario.name): \(scenario.missing) of \(agents) agents are missing")
        }
        for limit in limits {
            guard let value = limit.measure.value(in: self) else {
                failures.append("\(limit.measure.rawValue) was not measured")
                continue
            }
            if value > limit.maximum {
                failures.append("\(limit.measure.rawValue) is \(value), and the limit is \(limit.maximum)")
            }
        }
    }
}

/// A limit for what a run measures.
package struct SwarmLimit: Sendable, Equatable {
    package enum Measure: String, CaseIterable, Sendable {
        /// Until all agents are online.
        case connect = "connect_s"
        /// Until the last answer to a group command.
        case answer = "answer_s"
        /// The most messages in any second after the birth message of Home Assistant.
        case birthMessages = "birth_messages_per_s"
        /// Until all agents are back after a restart of the broker.
        case restart = "restart_s"
        /// Memory of the broker.
        case memory = "memory_bytes_per_camera"

        /// The highest value that a run has measured; nil: none.
        func value(in report: SwarmReport) -> Double? {
            func most(_ scenario: String, _ value: (SwarmReport.Scenario) -> Double?) -> Double? {
                report.scenarios.filter { $0.name == scenario }.compactMap(value).max()
            }
            return switch self {
            case .connect: most("connect", \.last_s)
            case .answer: most("group", \.last_s)
            case .birthMessages: most("birth") { Double($0.peak_messages_per_s) }
            case .restart: most("restart", \.last_s)
            case .memory: report.broker_memory.map { Double($0.bytes_per_camera) }
            }
        }
    }

    package let measure: Measure
    package let maximum: Double

    /// Reads a text such as `answer_s=3`; nil: it is none.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let measure = Measure(rawValue: String(parts[0])),
            let maximum = Double(parts[1]), maximum.isFinite, maximum >= 0
        else { return nil }
        (self.measure, self.maximum) = (measure, maximum)
    }
}
