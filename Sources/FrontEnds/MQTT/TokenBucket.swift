/// An allowance that grows at a constant rate up to its capacity, and that messages use up.
struct TokenBucket {
    /// Growth is computed in steps of this duration: the arithmetic of durations costs more than the rest.
    private static let step = Duration.milliseconds(5)

    /// Tokens per second.
    let rate: Double
    let capacity: Double
    private var tokens: Double
    private var filled: ContinuousClock.Instant
    private var nextFill: ContinuousClock.Instant

    /// Makes a bucket that is full.
    init(rate: Double, capacity: Double, at now: ContinuousClock.Instant) {
        (self.rate, self.capacity, tokens) = (rate, capacity, capacity)
        (filled, nextFill) = (now, now.advanced(by: Self.step))
    }

    /// Takes tokens if there is at least one. A message that needs more than there are leaves a debt.
    ///
    /// - Returns: whether there was one.
    mutating func take(_ amount: Double = 1, at now: ContinuousClock.Instant) -> Bool {
        if now >= nextFill { fill(at: now) }
        guard tokens >= 1 else { return false }
        tokens -= amount
        return true
    }

    private mutating func fill(at now: ContinuousClock.Instant) {
        tokens = min(capacity, tokens + filled.duration(to: now) / .seconds(1) * rate)
        (filled, nextFill) = (now, now.advanced(by: Self.step))
    }
}
