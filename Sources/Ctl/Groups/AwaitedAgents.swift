internal import Contract

/// The agents whose answers are waited for: which of them will not answer any more.
struct AwaitedAgents {
    typealias Instant = ContinuousClock.Instant

    /// The counts of their starts: one that has started again has lost all requests.
    private var boots: [String: Int] = [:]
    /// When agents whose will was published are given up. They may be back after a short loss of their
    /// connection.
    private var losses: [String: Instant] = [:]

    /// When ``lost(of:in:at:)`` may have a new result; nil: not before a message comes.
    var deadline: Instant? { losses.values.min() }

    /// Waits for an agent from now on.
    mutating func add(_ agent: String, in fleet: Fleet) {
        boots[agent] = fleet.agents[agent]?.availability?.boot
        losses[agent] = nil
    }

    /// Why nothing more comes of a camera.
    func silence(of address: CameraAddress, in fleet: Fleet, at now: Instant) -> String {
        hasRestarted(address.agent, in: fleet)
            ? "the agent has restarted" : fleet.silence(of: address, at: now)
    }

    private func hasRestarted(_ agent: String, in fleet: Fleet) -> Bool {
        guard let boot = boots[agent], let known = fleet.agents[agent]?.availability else { return false }
        return known.state == .online && known.boot != boot
    }

    /// The agents that are stopped, have started again, or have been offline for too long.
    mutating func lost(of agents: Set<String>, in fleet: Fleet, at now: Instant) -> Set<String> {
        losses = losses.filter { agents.contains($0.key) }
        return agents.filter { isLost($0, in: fleet, at: now) }
    }

    /// Whether an agent is stopped, has started again, or has been offline for too long.
    mutating func isLost(_ agent: String, in fleet: Fleet, at now: Instant) -> Bool {
        let availability = fleet.agents[agent]?.availability
        // Nothing is known of an agent whose availability has never come: its camera has answered.
        if availability == nil && boots[agent] == nil { return false }
        guard let known = availability, known.state != .offline else {
            let limit = losses[agent] ?? now + Exchange.offlineTimeout
            losses[agent] = limit
            return limit <= now
        }
        losses[agent] = nil
        guard known.state == .online else { return true }
        return hasRestarted(agent, in: fleet)
    }
}
