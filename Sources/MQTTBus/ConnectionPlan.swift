/// Decides which host is tried next, at which of its addresses, with which version of MQTT, and how long
/// before that.
///
/// A round tries each host once, and a host at each of its addresses, without delays between them. The delay
/// of ``ReconnectPolicy`` is before each round. A connection that has ended begins a round with all other
/// hosts; if it was short, the delay is before this round too.
struct ConnectionPlan {
    /// One attempt.
    struct Target: Equatable {
        /// The place of the host in the settings.
        var host: Int
        /// The place of the address among those of the host's name.
        var address: Int
        var level: MQTTLevel
    }

    struct Step: Equatable {
        let target: Target
        /// Zero within a round.
        let delay: Duration
        /// Whether a round has ended without a connection, or a connection has ended.
        let endsRound: Bool
        /// Whether the same address is tried with MQTT 3.1.1 in place of MQTT 5.
        var isOlderVersion = false
    }

    enum Failure: Sendable {
        /// There is no address: the host's name is unknown, or a file for TLS can't be used.
        case noAddress
        /// The broker doesn't support this version of MQTT, or has closed the connection in place of an
        /// answer to CONNECT, as brokers do that don't know MQTT 5.
        case versionUnknown
        case other
    }

    private let hostCount: Int
    private let order: BusSettings.Order
    private let version: BusSettings.Version
    private(set) var policy = ReconnectPolicy()
    /// Hosts that are tried with MQTT 3.1.1 first: their last connection used it.
    private var olderHosts: Set<Int> = []
    /// The hosts that follow in this round.
    private var waiting: [Int] = []
    private(set) var current = Target(host: 0, address: 0, level: .v5)
    private var addressCount = 1

    init(hostCount: Int, order: BusSettings.Order, version: BusSettings.Version) {
        (self.hostCount, self.order, self.version) = (hostCount, order, version)
    }

    /// Begins the first round.
    mutating func begin(using generator: inout some RandomNumberGenerator) -> Target {
        waiting = round(using: &generator)
        return moveToNextHost()
    }

    /// Notes how many addresses the current host has.
    mutating func found(addresses count: Int) { addressCount = count }

    /// Notes that the broker has accepted the connection.
    mutating func accepted() {
        if current.level == .v311 && version == .automatic { olderHosts.insert(current.host) }
    }

    /// The attempt after one that has failed.
    mutating func failed(_ failure: Failure, using generator: inout some RandomNumberGenerator) -> Step {
        if version == .automatic && failure == .versionUnknown && current.level == .v5 {
            current.level = .v311
            return Step(target: current, delay: .zero, endsRound: false, isOlderVersion: true)
        }
        olderHosts.remove(current.host)
        if failure != .noAddress && current.address + 1 < addressCount {
            current = Target(host: current.host, address: current.address + 1, level: level(current.host))
            return Step(target: current, delay: .zero, endsRound: false)
        }
        if !waiting.isEmpty { return Step(target: moveToNextHost(), delay: .zero, endsRound: false) }
        waiting = round(using: &generator)
        return Step(
            target: moveToNextHost(), delay: policy.nextDelay(using: &generator), endsRound: true)
    }

    /// The attempt after a connection that the broker had accepted.
    mutating func ended(after length: Duration, using generator: inout some RandomNumberGenerator) -> Step {
        let wasStable = length >= ReconnectPolicy.stableAfter
        policy.connectionEnded(after: length)
        // The broker may know MQTT 5 by now.
        if wasStable { olderHosts.remove(current.host) }
        let others = order == .listed ? following(current.host) : round(using: &generator)
        waiting = others.filter { $0 != current.host }
        let delay = wasStable && !waiting.isEmpty ? .zero : policy.nextDelay(using: &generator)
        if waiting.isEmpty { waiting = round(using: &generator) }
        return Step(target: moveToNextHost(), delay: delay, endsRound: true)
    }

    /// All hosts in the order of a round.
    private func round(using generator: inout some RandomNumberGenerator) -> [Int] {
        let hosts = Array(0..<hostCount)
        return order == .listed ? hosts : hosts.shuffled(using: &generator)
    }

    private func following(_ host: Int) -> [Int] { (1..<max(hostCount, 1)).map { (host + $0) % hostCount } }

    private mutating func moveToNextHost() -> Target {
        let host = waiting.removeFirst()
        current = Target(host: host, address: 0, level: level(host))
        addressCount = 1
        return current
    }

    private func level(_ host: Int) -> MQTTLevel {
        switch version {
        case .v5: .v5
        case .v311: .v311
        case .automatic: olderHosts.contains(host) ? .v311 : .v5
        }
    }
}
