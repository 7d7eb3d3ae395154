package import Clients

/// The commands of the last ten minutes, by client and id: a command that is delivered twice, by a broker or
/// by a retrying sender, is carried out once.
package struct RecentCommands {
    package struct Key: Hashable {
        let client: ClientIdentity?
        let id: String

        package init(client: ClientIdentity?, id: String) { (self.client, self.id) = (client, id) }
    }

    /// Maximum number of remembered commands; the oldest are dropped.
    private static let maxCount = 256
    private static let maxAge = Duration.seconds(600)

    private var times: [Key: ContinuousClock.Instant] = [:]
    private var order: [Key] = []

    package init() {}

    /// Removes a command that was refused: it may be sent again under the same id.
    package mutating func remove(_ key: Key) {
        if times.removeValue(forKey: key) != nil { order.removeAll { $0 == key } }
    }

    /// Whether the command was recorded before; otherwise it is recorded now.
    package mutating func isRepeated(_ key: Key, at now: ContinuousClock.Instant) -> Bool {
        if let time = times[key], time.duration(to: now) < Self.maxAge { return true }
        if times.updateValue(now, forKey: key) != nil { order.removeAll { $0 == key } }
        order.append(key)
        if order.count > Self.maxCount { times[order.removeFirst()] = nil }
        return false
    }
}
