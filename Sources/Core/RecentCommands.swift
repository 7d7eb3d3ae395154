package import ZoomModel

/// The commands of the last ten minutes, by client and id: a command that is delivered twice, by a broker or
/// by a retrying sender, is carried out once.
///
/// Clients whose name is proved have a memory of their own: others can give themselves any number of names.
package struct RecentCommands {
    package struct Key: Hashable {
        let client: ClientIdentity?
        let id: String

        package init(client: ClientIdentity?, id: String) { (self.client, self.id) = (client, id) }
    }

    private static let maxAge = Duration.seconds(600)

    private var proved = Memory()
    private var claimed = Memory()

    package init() {}

    /// Removes a command that was refused: it may be sent again under the same id.
    package mutating func remove(_ key: Key) {
        if key.client?.isProved == true { proved.remove(key) } else { claimed.remove(key) }
    }

    /// Whether the command was recorded before; otherwise it is recorded now.
    package mutating func isRepeated(_ key: Key, at now: ContinuousClock.Instant) -> Bool {
        key.client?.isProved == true
            ? proved.isRepeated(key, within: Self.maxAge, at: now)
            : claimed.isRepeated(key, within: Self.maxAge, at: now)
    }
}

/// The commands of a client, in the order of their times.
private struct History {
    private(set) var times: [String: ContinuousClock.Instant] = [:]
    /// The ids.
    private var order: [String] = []

    var count: Int { order.count }
    /// The time of the oldest command; nil: there is none.
    var oldest: ContinuousClock.Instant? { order.first.flatMap { times[$0] } }

    mutating func add(_ id: String, at now: ContinuousClock.Instant) {
        times[id] = now
        order.append(id)
    }

    mutating func remove(_ id: String) {
        if times.removeValue(forKey: id) != nil { order.removeAll { $0 == id } }
    }

    mutating func removeOldest() {
        if !order.isEmpty { times[order.removeFirst()] = nil }
    }
}

/// The commands of several clients. When there are too many, the client with the most loses its oldest, so
/// that one that sends many commands does not make the agent forget those of others. Where no client has more
/// than a few, as when each command has another client name, the oldest of all is forgotten.
private struct Memory {
    /// Remembered commands of a client, and of all clients.
    static let maxOfClient = 256
    static let maxCount = 1_024
    /// A client that has no more than these does not make room for others before the oldest of all does.
    static let safe = 8

    private var clients: [ClientIdentity?: History] = [:]
    private var count = 0

    mutating func remove(_ key: RecentCommands.Key) {
        change(key.client) { $0.remove(key.id) }
        removeIfEmpty(key.client)
    }

    mutating func isRepeated(
        _ key: RecentCommands.Key, within age: Duration, at now: ContinuousClock.Instant
    ) -> Bool {
        var isRepeated = false
        change(key.client) { history in
            if let time = history.times[key.id] {
                isRepeated = time.duration(to: now) < age
                if isRepeated { return }
                history.remove(key.id)
            }
            history.add(key.id, at: now)
            if history.count > Self.maxOfClient { history.removeOldest() }
        }
        if count > Self.maxCount { makeRoom() }
        return isRepeated
    }

    /// Changes the history of a client where it is, and counts again.
    private mutating func change(_ client: ClientIdentity?, _ body: (inout History) -> Void) {
        func counted(_ history: inout History) -> Int {
            let before = history.count
            body(&history)
            return history.count - before
        }
        count += counted(&clients[client, default: History()])
    }

    private mutating func removeIfEmpty(_ client: ClientIdentity?) {
        if clients[client]?.count == 0 { clients.removeValue(forKey: client) }
    }

    private mutating func makeRoom() {
        guard let most = clients.max(by: { $0.value.count < $1.value.count }) else { return }
        if most.value.count > Self.safe { return change(most.key) { $0.removeOldest() } }
        let oldest = clients.compactMap { client, history in history.oldest.map { (client, time: $0) } }
            .min { $0.time < $1.time }
        guard let (client, _) = oldest else { return }
        change(client) { $0.removeOldest() }
        removeIfEmpty(client)
    }
}
