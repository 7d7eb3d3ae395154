import FoundationEssentials

/// What a run has measured. Its names are those of its JSON.
struct LoadReport: Encodable {
    /// One scenario. Times are in seconds from its begin.
    struct Scenario: Encodable {
        var name: String
        /// When the first agent, the median one and the last one did what the scenario waits for; nil: none
        /// did.
        var first_s: Double?
        var median_s: Double?
        var last_s: Double?
        /// The agents that did not.
        var missing: Int
        /// The messages that the agents published, and the most of them in any second.
        var messages: Int
        var peak_messages_per_s: Int

        init(_ name: String, _ times: AgentTimes, _ counts: MessageCounts, in span: Range<Duration>) {
            self.name = name
            let statistics = times.statistics(since: span.lowerBound)
            (first_s, median_s, last_s) = (statistics?.first, statistics?.median, statistics?.last)
            missing = times.missing
            messages = counts.count(in: span)
            peak_messages_per_s = counts.peak(in: span)
        }
    }

    var agents: Int
    var processes: Int
    var spread_s: Int
    /// Of the broker's processes, before the first agent and with all agents.
    var broker_bytes_before: Int?
    var broker_bytes: Int?
    /// Of the processes with agents, for each agent.
    var bytes_per_agent: Int?
    /// Agents that connected and whose `online` was not seen: if there are any, the broker has dropped
    /// messages for this program, which has counted too few.
    var not_observed: Int?
    var scenarios: [Scenario] = []
    /// The last reason for which an agent lost its connection or did not get one.
    var reason: String?

    var isComplete: Bool { scenarios.allSatisfy { $0.missing == 0 } }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

/// The bytes of a process, with its part of what it shares with others (PSS); where the system does not tell
/// another user, all that is resident (RSS).
///
/// - Returns: nil: there is no such process.
func memory(ofProcess process: Int32) -> Int? {
    for (file, name) in [("smaps_rollup", "Pss:"), ("status", "VmRSS:")] {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8) else {
            continue
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        if let number = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) {
            return number * 1024
        }
    }
    return nil
}
