/// The payload of `lease/set`: takes, renews or releases the exclusive right to move the zoom.
package enum LeaseSet: Sendable, Equatable, CommandContent {
    /// Take or renew the lease; with force also from another client.
    case take(milliseconds: Int, force: Bool)
    /// Release the lease.
    case release

    /// The default and the maximum duration of a lease in milliseconds.
    private static let usual = 10_000
    private static let longest = 3_600_000

    static let redefinesTTL = true

    init(_ fields: inout Fields) throws(CommandError) {
        let take = try fields.bool("take")
        let release = try fields.bool("release")
        let time = try fields.integer("ttl_ms", in: 100...Self.longest)
        let force = try fields.bool("force")
        try fields.refuseOthers()
        switch (take, release) {
        case (true, nil): self = .take(milliseconds: time ?? Self.usual, force: force ?? false)
        case (nil, true):
            try fields.refuse("ttl_ms", "force", because: "allowed only with take.")
            self = .release
        default: throw CommandError(.badPayload, "Send take:true or release:true.")
        }
    }
}
