/// Whether an agent or a camera is there.
package struct Availability: Sendable, Equatable {
    package enum State: String, Sendable, FieldWord { case online, offline, stopped }

    package var state: State
    /// Not with a camera.
    package var boot: Int?
    var renewSeconds: Int?
    package var reason: String?
    package var error: String?

    /// Of a camera: it is offline or private.
    package var isDeviceClosed: Bool { state == .offline || reason == "private" }

    /// How many renewals may be missing before the agent counts as gone.
    private static let renewalsOfLifetime = 3

    package init(
        _ state: State, boot: Int? = nil, renewSeconds: Int? = nil, reason: String? = nil,
        error: String? = nil
    ) {
        (self.state, self.boot, self.renewSeconds) = (state, boot, renewSeconds)
        (self.reason, self.error) = (reason, error)
    }

    /// How long after the message the agent counts as online, in seconds: the broker keeps it no longer. Nil:
    /// until another message comes.
    package var lifetimeSeconds: Int? {
        guard state == .online, let renewSeconds, renewSeconds > 0 else { return nil }
        return min(renewSeconds, Int(Int32.max) / Self.renewalsOfLifetime) * Self.renewalsOfLifetime
    }
}

extension Availability: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        state = f(
            "state", \.state, .any, "`stopped`: an agent that ended cleanly.")
        boot = f.maybe("boot", \.boot, .from(1), "The agent's count of starts.")
        renewSeconds = f.maybe(
            "renew_s", \.renewSeconds, .from(60),
            "Seconds to the next message; after three times as many it counts as gone.")
        reason = f.maybe(
            "reason", \.reason, .filled, "Why it is offline; `private`: online.")
        error = f.maybe(
            "error", \.error, .filled,
            "What is wrong with the device, for people.")
        f.refuse(["renew_s"], when: .unequal("state", .text("online")), "allowed only with \"online\".")
    }
}
