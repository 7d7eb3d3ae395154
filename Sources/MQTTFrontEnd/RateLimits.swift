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

    /// Commands per second, and in one burst.
    let rate: Double
    /// Maximum number of clients with a limit of their own; beyond it, those whose last command is the oldest
    /// are removed.
    private static let maxClients = 1024
    private static let answerInterval = Duration.seconds(1)

    private var shares: [ClientIdentity?: Share] = [:]

    package init(rate: Double) { self.rate = rate }

    /// Whether one more command of a client is carried out. Clients without a name count as one.
    package mutating func verdict(on client: ClientIdentity?, at now: ContinuousClock.Instant) -> Verdict {
        if shares.count >= Self.maxClients, shares[client] == nil { removeOldest() }
        var share =
            shares[client] ?? Share(commands: TokenBucket(rate: rate, capacity: rate, at: now), lastUse: now)
        share.lastUse = now
        defer { shares[client] = share }
        if share.commands.take(at: now) { return .permitted }
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
