package import ZoomModel

extension Node {
    package static var lease: Node { Node(Lease.self) }

    /// The right to move the zoom alone, for a while.
    package enum Lease: NodeContract {
        package typealias Command = LeaseSet
        package typealias State = LeaseState
        package static var name: String { "lease" }
        package static var isNullable: Bool { true }
    }
}

/// The payload of `lease/set`: takes, renews or releases the exclusive right to move the zoom.
package enum LeaseSet: CommandForm {
    /// Take or renew the lease; with force also from another client.
    case take(milliseconds: Int, force: Bool)
    /// Release the lease.
    case release

    package static let redefinesTTL = true

    package var policy: CommandPolicy { CommandPolicy(needsDevice: false, runsOnce: false) }

    private struct Options: Form {
        var milliseconds = 10_000
        var force = false

        init() {}
        init(_ milliseconds: Int, _ force: Bool) { (self.milliseconds, self.force) = (milliseconds, force) }

        init(_ f: inout some FormVisitor<Self>) {
            milliseconds = f(
                "ttl_ms", \.milliseconds, .within(100...3_600_000), default: milliseconds,
                "Milliseconds until the lease expires; here no lifetime of the command.")
            force = f(
                "force", \.force, .any, default: force,
                "Also from another holder.")
        }
    }

    package init(_ f: inout some FormVisitor<Self>) {
        let take = f.option("take", { $0 == .release ? nil : true }, .chosen, "Takes or renews the lease.")
        let release = f.option("release", { $0 == .release ? true : nil }, .chosen, "Releases the lease.")
        let options =
            f.option {
                if case .take(let time, let force) = $0 { Options(time, force) } else { nil }
            } as Options? ?? Options()
        let choice = f.one(
            take.map { _ in Self.take(milliseconds: options.milliseconds, force: options.force) },
            release.map { _ in .release }, else: Self.wanted)
        f.check(take != false && release != false, nil, Self.wanted)
        f.only("ttl_ms", with: "take")
        f.only("force", with: "take")
        self = choice ?? .release
    }

    private static var wanted: String { "Send take:true or release:true." }
}

/// The state of `lease` while a client holds it; otherwise `null`.
package struct LeaseState: StateForm {
    var client: ClientIdentity
    var until: String

    package init(client: ClientIdentity, until: String) { (self.client, self.until) = (client, until) }

    package init(_ f: inout some FormVisitor<Self>) {
        client = f.group(\.client)
        until = f("until", \.until, .stamp, "When it ends by itself.")
        f.demand(someOf: ["client"], field: "client", "required.")
    }
}
