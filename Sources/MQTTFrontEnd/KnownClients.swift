internal import Clients

/// The clients that the agent has known for a minute or longer. A sender that gives itself another name with
/// each command has only names that are new, so that it takes nothing from these.
struct KnownClients {
    /// Known clients. More are not admitted until one has been silent for ``maxSilence``.
    static let maxCount = 64
    /// New clients that are remembered. With more, those that come are forgotten: clients that came before a
    /// flood of new names stay.
    private static let maxNew = 1_024
    /// The time between two commands of a client, after which it is known: at least, and at most.
    private static let delay = (min: Duration.seconds(60), max: Duration.seconds(3_600))
    private static let maxSilence = Duration.seconds(86_400)

    /// The last command of each known client.
    private var known: [ClientIdentity?: ContinuousClock.Instant] = [:]
    /// The first command of each new client.
    private var new: [ClientIdentity?: ContinuousClock.Instant] = [:]
    /// When the first of the new clients is too old, or earlier.
    private var nextRemoval: ContinuousClock.Instant?

    /// Notes a command of a client. Clients without a name count as one.
    ///
    /// - Returns: whether the client is known.
    mutating func note(_ client: ClientIdentity?, at now: ContinuousClock.Instant) -> Bool {
        if let place = known.index(forKey: client) {
            known.values[place] = now
            return true
        }
        guard let first = new[client], first.advanced(by: Self.delay.max) > now else {
            remember(client, at: now)
            return false
        }
        guard first.advanced(by: Self.delay.min) <= now, hasRoom(at: now) else { return false }
        new[client] = nil
        known[client] = now
        return true
    }

    private mutating func remember(_ client: ClientIdentity?, at now: ContinuousClock.Instant) {
        if new.count >= Self.maxNew, let nextRemoval, nextRemoval <= now {
            new = new.filter { $0.value.advanced(by: Self.delay.max) > now }
            self.nextRemoval = new.values.min()?.advanced(by: Self.delay.max)
        }
        guard new.count < Self.maxNew || new[client] != nil else { return }
        new[client] = now
        nextRemoval = nextRemoval ?? now.advanced(by: Self.delay.max)
    }

    /// Whether there is room for one more known client; the one that was silent for longest makes room if
    /// that was long enough.
    private mutating func hasRoom(at now: ContinuousClock.Instant) -> Bool {
        guard known.count >= Self.maxCount else { return true }
        guard let oldest = known.min(by: { $0.value < $1.value }),
            oldest.value.advanced(by: Self.maxSilence) <= now
        else { return false }
        known[oldest.key] = nil
        return true
    }
}
