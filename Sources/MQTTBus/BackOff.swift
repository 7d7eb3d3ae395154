/// How long to wait before the next try to reach a broker: longer each time, and never quite the same, so that a fleet
/// doesn't come back all at once.
struct BackOff {
    static let first = Duration.milliseconds(250)
    static let longest = Duration.seconds(30)
    /// A connection that lasted this long was a good one: the next wait is short again.
    static let goodAfter = Duration.seconds(5)

    private var next = first

    /// The time to wait now; half of it is chance.
    mutating func wait(using generator: inout some RandomNumberGenerator) -> Duration {
        let jitter = Double.random(in: 0.5...1, using: &generator)
        defer { next = min(next * 2, Self.longest) }
        return next * jitter
    }

    /// Notes how long the connection lasted.
    mutating func connectionLasted(_ time: Duration) {
        if time >= Self.goodAfter { next = Self.first }
    }
}
