package import ZoomModel

/// The commands of the last ten minutes, by client and id: a command that is delivered twice, by a broker or
/// by a retrying sender, is carried out once.
///
/// When there are too many, those of clients whose name isn't proved are forgotten first: they can give
/// themselves any number of names. Of clients of the same kind, the one with the most loses its oldest, so
/// that one that sends many commands does not make the agent forget those of others. Where none has more than
/// a few, as when each command has another client name, the oldest of all is forgotten.
package struct RecentCommands {
    package struct Key: Hashable {
        let client: ClientIdentity?
        let id: String

        package init(client: ClientIdentity?, id: String) { (self.client, self.id) = (client, id) }
    }

    private static let maxAge = Duration.seconds(600)
    /// Remembered commands of a client, and of all clients.
    private static let maxOfClient = 256
    private static let maxCount = 1_024
    /// A client that has no more than these does not make room for others before the oldest of all does.
    private static let safe = 8

    private var times: [Key: ContinuousClock.Instant] = [:]
    /// Those of each client, the oldest first.
    private var clients: [ClientIdentity?: [(id: String, time: ContinuousClock.Instant)]] = [:]

    package init() {}

    /// Removes a command that was refused: it may be sent again under the same id.
    package mutating func remove(_ key: Key) {
        guard times.removeValue(forKey: key) != nil else { return }
        clients[key.client]?.removeAll { $0.id == key.id }
        if clients[key.client]?.isEmpty == true { clients[key.client] = nil }
    }

    /// Whether the command was recorded before; otherwise it is recorded now.
    package mutating func isRepeated(_ key: Key, at now: ContinuousClock.Instant) -> Bool {
        if let time = times[key] {
            if time.duration(to: now) < Self.maxAge { return true }
            remove(key)
        }
        times[key] = now
        clients[key.client, default: []].append((key.id, now))
        if clients[key.client, default: []].count > Self.maxOfClient {
            removeOldest(of: key.client)
        } else if times.count > Self.maxCount {
            makeRoom()
        }
        return false
    }

    private mutating func removeOldest(of client: ClientIdentity?) {
        guard let oldest = clients[client]?.removeFirst() else { return }
        times[Key(client: client, id: oldest.id)] = nil
        if clients[client]?.isEmpty == true { clients[client] = nil }
    }

    private mutating func makeRoom() {
        let areProved = clients.keys.allSatisfy { $0?.isProved == true }
        let candidates = clients.lazy.filter { ($0.key?.isProved == true) == areProved }
        guard let most = candidates.max(by: { $0.value.count < $1.value.count }) else { return }
        if most.value.count > Self.safe { return removeOldest(of: most.key) }
        let oldest = candidates.min { $0.value[0].time < $1.value[0].time }
        if let oldest { removeOldest(of: oldest.key) }
    }
}
