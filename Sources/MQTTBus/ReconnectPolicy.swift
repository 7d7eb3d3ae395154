/// How long to wait before the next round of attempts to connect (``ConnectionPlan``): the delay doubles up
/// to a maximum and is randomised, so that a fleet of agents does not reconnect to a restarted broker all at
/// once.
struct ReconnectPolicy {
    static let firstDelay = Duration.milliseconds(250)
    static let maxDelay = Duration.seconds(30)
    /// After a connection of at least this length, delays start again with ``firstDelay``.
    static let stableAfter = Duration.seconds(5)
    /// After this many short connections in succession, a second client probably uses the same client
    /// identifier.
    private static let suspiciousCount = 3

    private var delay = firstDelay
    private var shortConnections = 0

    /// Whether the last connections were all ended soon. A broker ends a connection when another client
    /// connects with the same client identifier (MQTT 5, 3.1.4).
    var suspectsSharedClientID: Bool { shortConnections >= Self.suspiciousCount }

    /// The delay before the next attempt: between half of the current delay and all of it.
    mutating func nextDelay(using generator: inout some RandomNumberGenerator) -> Duration {
        let jitter = Double.random(in: 0.5...1, using: &generator)
        defer { delay = min(delay * 2, Self.maxDelay) }
        return delay * jitter
    }

    /// Notes that a connection ended which the broker had accepted.
    mutating func connectionEnded(after length: Duration) {
        if length >= Self.stableAfter {
            delay = Self.firstDelay
            shortConnections = 0
        } else {
            shortConnections += 1
        }
    }
}
