package import Clients

/// Limits the commands of each client, so that a flood of one doesn't delay the others.
package struct RateLimits {
    package enum Verdict {
        case permitted
        /// Refused, and answered as `rate_limited`.
        case refused
        /// Refused without an answer: the client got one within the last second.
        case dropped
    }

    private struct Share {
        var commands: TokenBucket
        var lastUse: ContinuousClock.Instant
        var lastRefusal: ContinuousClock.Instant?
    }

    /// Commands or photos per second.
    let rate: Double
    /// Those of one burst.
    let burst: Double
    /// Maximum number of clients with a limit of their own; beyond it, those whose last command is the oldest
    /// are removed.
    private static let maxClients = 1024
    private static let answerInterval = Duration.seconds(1)

    private var shares: [ClientIdentity?: Share] = [:]

    /// - Parameter burst: nil: what the rate permits in a second.
    package init(rate: Double, burst: Double? = nil) { (self.rate, self.burst) = (rate, burst ?? rate) }

    /// Whether one more command of a client is carried out. Clients without a name count as one.
    ///
    /// - Parameter amount: what the command uses up. The last one may use more than there is; the client is
    ///   refused until that is made up for.
    package mutating func verdict(
        on client: ClientIdentity?, taking amount: Double = 1, at now: ContinuousClock.Instant
    ) -> Verdict {
        if shares.count >= Self.maxClients, shares[client] == nil { removeOldest() }
        var share =
            shares[client] ?? Share(commands: TokenBucket(rate: rate, capacity: burst, at: now), lastUse: now)
        share.lastUse = now
        defer { shares[client] = share }
        if share.commands.take(amount, at: now) { return .permitted }
        if let lastRefusal = share.lastRefusal, lastRefusal.duration(to: now) < Self.answerInterval {
            return .dropped
        }
        share.lastRefusal = now
        return .refused
    }

    private mutating func removeOldest() {
        let newest = shares.sorted { $0.value.lastUse > $1.value.lastUse }
            .prefix(Self.maxClients / 2)
        shares = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}
