/// Decides which host is tried next, at which of its addresses, and how long before that.
///
/// A round tries each host once, and a host at each of its addresses, without delays between them. Before
/// each round is a delay, which doubles up to a maximum and is randomised, so that a fleet of agents does not
/// reconnect to a restarted broker all at once. A connection that has ended begins a round with all other
/// hosts; if it was short, the delay is before this round too.
struct HostPlan {
    /// One attempt.
    struct Target: Equatable {
        /// The place of the host in the settings.
        var host: Int
        /// The place of the address among those of the host's name.
        var address: Int
    }

    /// How the plan goes on.
    struct Step: Equatable {
        /// Before the attempt at ``current``. Zero within a round.
        let delay: Duration
        /// Whether a round has ended without a connection, or a connection has ended.
        let endsRound: Bool
    }

    static let firstDelay = Duration.milliseconds(250)
    static let maxDelay = Duration.seconds(30)
    /// After a connection of at least this length, delays start again with ``firstDelay``.
    static let stableAfter = Duration.seconds(5)
    /// After this many short connections in succession, a second client probably uses the same client
    /// identifier.
    private static let suspiciousCount = 3

    private let hostCount: Int
    private let order: BusSettings.Order
    private var generator: any RandomNumberGenerator
    /// The hosts that follow in this round.
    private var waiting: [Int] = []
    /// The next attempt, or the present one.
    private(set) var current = Target(host: 0, address: 0)
    private var addressCount = 1
    private var delay = firstDelay
    private var shortConnections = 0

    init(
        hostCount: Int, order: BusSettings.Order,
        generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        (self.hostCount, self.order, self.generator) = (hostCount, order, generator)
        waiting = round()
        moveToNextHost()
    }

    /// Whether the last connections were all ended soon. A broker ends a connection when another client
    /// connects with the same client identifier (MQTT 5, 3.1.4).
    var suspectsSharedClientID: Bool { shortConnections >= Self.suspiciousCount }

    /// Notes how many addresses the current host has.
    mutating func found(addresses count: Int) { addressCount = count }

    /// The attempt after one that has failed.
    ///
    /// - Parameter hasAddress: whether another address of the host may do.
    mutating func failed(hasAddress: Bool) -> Step {
        if hasAddress && current.address + 1 < addressCount {
            current.address += 1
            return Step(delay: .zero, endsRound: false)
        }
        let endsRound = waiting.isEmpty
        if endsRound { waiting = round() }
        moveToNextHost()
        return Step(delay: endsRound ? nextDelay() : .zero, endsRound: endsRound)
    }

    /// The attempt after a connection that the broker had accepted.
    mutating func ended(after length: Duration) -> Step {
        let wasStable = length >= Self.stableAfter
        if wasStable { delay = Self.firstDelay }
        shortConnections = wasStable ? 0 : shortConnections + 1
        let others =
            order == .listed
            ? (1..<max(hostCount, 1)).map { (current.host + $0) % hostCount } : round()
        waiting = others.filter { $0 != current.host }
        let wait = wasStable && !waiting.isEmpty ? .zero : nextDelay()
        if waiting.isEmpty { waiting = round() }
        moveToNextHost()
        return Step(delay: wait, endsRound: true)
    }

    /// All hosts in the order of a round.
    private mutating func round() -> [Int] {
        let hosts = Array(0..<hostCount)
        return order == .listed ? hosts : hosts.shuffled(using: &generator)
    }

    private mutating func moveToNextHost() {
        current = Target(host: waiting.removeFirst(), address: 0)
        addressCount = 1
    }

    /// Between half of the current delay and all of it.
    private mutating func nextDelay() -> Duration {
        defer { delay = min(delay * 2, Self.maxDelay) }
        return delay * Double.random(in: 0.5...1, using: &generator)
    }
}
