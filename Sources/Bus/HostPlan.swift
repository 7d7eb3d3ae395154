internal import Settings

/// Decides which host is tried next, at which of its addresses, and how long before that.
///
/// A round tries each host once, and a host at each of its addresses, without delays between them. Before
/// each round is a delay, which doubles up to a maximum and is randomised, so that a fleet of agents does not
/// reconnect to a restarted broker all at once. A connection that has ended begins a round with all other
/// hosts; if it was short, the delay is before this round too.
struct HostPlan {
    static let firstDelay = Duration.milliseconds(250)
    static let maxDelay = Duration.seconds(30)
    /// After a connection of at least this length, delays start again with ``firstDelay``.
    static let stableAfter = Duration.seconds(5)
    /// After this many short connections in succession, a second client probably uses the same client
    /// identifier.
    private static let suspiciousCount = 3

    private let hostCount: Int
    private let order: HostOrder
    private var generator: any RandomNumberGenerator
    /// The hosts that follow in this round.
    private var waiting: [Int] = []
    /// The host of the next attempt, or of the present one: its place in the settings.
    private(set) var host = 0
    /// The place of the address among those of the host's name.
    private(set) var address = 0
    private var delay = firstDelay
    private var shortConnections = 0

    init(
        hostCount: Int, order: HostOrder,
        generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) {
        (self.hostCount, self.order, self.generator) = (hostCount, order, generator)
        waiting = round()
        moveToNextHost()
    }

    /// Whether the last connections were all ended soon. A broker ends a connection when another client
    /// connects with the same client identifier (MQTT 5, 3.1.4).
    var suspectsSharedClientID: Bool { shortConnections >= Self.suspiciousCount }

    /// Moves to the attempt after one that has failed.
    ///
    /// - Parameter addresses: how many the host has; 0: no other address of it is tried.
    /// - Returns: the delay before that attempt, if the round has ended without a connection.
    mutating func failed(addresses: Int) -> Duration? {
        if address + 1 < addresses {
            address += 1
            return nil
        }
        let endsRound = waiting.isEmpty
        if endsRound { waiting = round() }
        moveToNextHost()
        return endsRound ? nextDelay() : nil
    }

    /// Moves to the attempt after a connection that the broker had accepted. Returns the delay before it.
    mutating func ended(after length: Duration) -> Duration {
        let wasStable = length >= Self.stableAfter
        if wasStable { delay = Self.firstDelay }
        shortConnections = wasStable ? 0 : shortConnections + 1
        let others =
            order == .listed
            ? (1..<max(hostCount, 1)).map { (host + $0) % hostCount } : round()
        waiting = others.filter { $0 != host }
        let wait = wasStable && !waiting.isEmpty ? .zero : nextDelay()
        if waiting.isEmpty { waiting = round() }
        moveToNextHost()
        return wait
    }

    /// All hosts in the order of a round.
    private mutating func round() -> [Int] {
        let hosts = Array(0..<hostCount)
        return order == .listed ? hosts : hosts.shuffled(using: &generator)
    }

    private mutating func moveToNextHost() {
        (host, address) = (waiting.removeFirst(), 0)
    }

    /// Between half of the current delay and all of it.
    private mutating func nextDelay() -> Duration {
        defer { delay = min(delay * 2, Self.maxDelay) }
        return delay * Double.random(in: 0.5...1, using: &generator)
    }
}
