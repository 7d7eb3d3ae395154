/// The commands that were carried out a short while ago, by who sent them and what they call them: a command that comes twice, by a
/// broker's or a sender's second try, is done once.
package struct RecentCommands {
    package struct Name: Hashable {
        let client: String?
        let id: String

        package init(client: String?, id: String) { (self.client, self.id) = (client, id) }
    }

    /// Remembered at the most; then the oldest are forgotten.
    private static let most = 256
    /// And not longer than this.
    private static let longest = Duration.seconds(600)

    private var times: [Name: ContinuousClock.Instant] = [:]
    private var order: [Name] = []

    package init() {}

    /// Forgets a command that wasn't carried out after all: it may be tried again.
    package mutating func forget(_ name: Name) {
        if times.removeValue(forKey: name) != nil { order.removeAll { $0 == name } }
    }

    /// Whether the command was remembered already; otherwise it is from now on.
    package mutating func isRepeated(_ name: Name, at now: ContinuousClock.Instant) -> Bool {
        if let time = times[name], time.duration(to: now) < Self.longest { return true }
        if times.updateValue(now, forKey: name) == nil { order.append(name) }
        if order.count > Self.most { times[order.removeFirst()] = nil }
        return false
    }
}
