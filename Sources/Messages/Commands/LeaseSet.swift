/// What `lease/set` takes: the right to move the zoom alone, for a while.
package enum LeaseSet: Sendable, Equatable, CommandContent {
    /// Take or renew the lease; with force also from another client.
    case take(milliseconds: Int, force: Bool)
    /// Give it back.
    case release

    /// How long a lease lasts that doesn't say, and at the most, in milliseconds.
    private static let usual = 10_000
    private static let longest = 3_600_000

    static let ttlIsItsOwn = true

    init(_ fields: inout Fields) throws(CommandError) {
        let take = try fields.bool("take")
        let release = try fields.bool("release")
        let time = try fields.integer("ttl_ms", in: 100...Self.longest)
        let force = try fields.bool("force")
        try fields.refuseOthers()
        switch (take, release) {
        case (true, nil): self = .take(milliseconds: time ?? Self.usual, force: force ?? false)
        case (nil, true):
            if time != nil { throw fields.error("ttl_ms", "it goes with take.") }
            if force != nil { throw fields.error("force", "it goes with take.") }
            self = .release
        default: throw CommandError(.badPayload, "Send take:true or release:true.")
        }
    }
}
