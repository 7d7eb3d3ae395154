/// How many commands each client may send: one that floods doesn't take the others' share.
package struct RateLimits {
    package enum Verdict {
        case permitted
        /// Refused, and told so.
        case refused
        /// Refused like others within this second, one of which was told.
        case dropped
    }

    private struct Bucket {
        var tokens: Double
        var filled: ContinuousClock.Instant
        var told: ContinuousClock.Instant?
    }

    /// Commands a second, and at once.
    let rate: Double
    /// Clients that are told apart; when there are more, those that were silent longest are forgotten.
    private static let clientsAtMost = 1024
    private static let tellEvery = Duration.seconds(1)

    private var buckets: [String?: Bucket] = [:]

    package init(rate: Double) { self.rate = rate }

    /// Whether a client may have one more command carried out. Those that give no name count as one.
    package mutating func verdict(on client: String?, at now: ContinuousClock.Instant) -> Verdict {
        if buckets.count >= Self.clientsAtMost, buckets[client] == nil { forgetHalf() }
        var bucket = buckets[client] ?? Bucket(tokens: rate, filled: now)
        defer { buckets[client] = bucket }
        bucket.tokens = min(
            rate, bucket.tokens + bucket.filled.duration(to: now) / .seconds(1) * rate)
        bucket.filled = now
        if bucket.tokens >= 1 {
            bucket.tokens -= 1
            return .permitted
        }
        if let told = bucket.told, told.duration(to: now) < Self.tellEvery { return .dropped }
        bucket.told = now
        return .refused
    }

    private mutating func forgetHalf() {
        let newest = buckets.sorted { $0.value.filled > $1.value.filled }.prefix(Self.clientsAtMost / 2)
        buckets = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}
