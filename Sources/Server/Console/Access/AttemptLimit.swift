/// Wrong tokens: an address has five of them in a minute, then it waits.
struct AttemptLimit {
    private static let maxAttempts = 5
    private static let period = Duration.seconds(60)
    /// Addresses that are remembered. If there are more, the oldest is forgotten.
    private static let maxAddresses = 1000

    private var failures: [String: [ContinuousClock.Instant]] = [:]

    func mayTry(_ address: String, at time: ContinuousClock.Instant) -> Bool {
        recent(address, at: time).count < Self.maxAttempts
    }

    mutating func failed(_ address: String, at time: ContinuousClock.Instant) {
        if failures[address] == nil, failures.count >= Self.maxAddresses {
            let oldest = failures.min { ($0.value.last ?? time) < ($1.value.last ?? time) }
            if let oldest { failures[oldest.key] = nil }
        }
        failures[address] = recent(address, at: time) + [time]
    }

    private func recent(_ address: String, at time: ContinuousClock.Instant) -> [ContinuousClock.Instant] {
        (failures[address] ?? []).filter { time - $0 < Self.period }
    }
}
