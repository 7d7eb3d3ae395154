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

    private struct Bucket {
        var tokens: Double
        var filled: ContinuousClock.Instant
        var lastRefusal: ContinuousClock.Instant?
    }

    /// Commands per second, and in one burst.
    let rate: Double
    /// Maximum number of clients with a limit of their own; beyond it, those whose last command is the oldest
    /// are removed.
    private static let maxClients = 1024
    private static let answerInterval = Duration.seconds(1)

    private var buckets: [ClientIdentity?: Bucket] = [:]

    package init(rate: Double) { self.rate = rate }

    /// Whether one more command of a client is carried out. Clients without a name count as one.
    package mutating func verdict(on client: ClientIdentity?, at now: ContinuousClock.Instant) -> Verdict {
        if buckets.count >= Self.maxClients, buckets[client] == nil { removeOldest() }
        var bucket = buckets[client] ?? Bucket(tokens: rate, filled: now)
        defer { buckets[client] = bucket }
        bucket.tokens = min(
            rate, bucket.tokens + bucket.filled.duration(to: now) / .seconds(1) * rate)
        bucket.filled = now
        if bucket.tokens >= 1 {
            bucket.tokens -= 1
            return .permitted
        }
        if let lastRefusal = bucket.lastRefusal, lastRefusal.duration(to: now) < Self.answerInterval {
            return .dropped
        }
        bucket.lastRefusal = now
        return .refused
    }

    private mutating func removeOldest() {
        let newest = buckets.sorted { $0.value.filled > $1.value.filled }.prefix(Self.maxClients / 2)
        buckets = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}
