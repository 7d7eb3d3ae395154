/// Whether an agent or a camera is there.
package struct Availability: Sendable, Equatable, Codable {
    package enum State: String, Sendable, Codable { case online, offline, stopped }

    package var state: State
    /// The agent's count of starts; not with a camera.
    package var boot: Int?
    /// Of an agent that is online: the seconds after which it publishes this again; nil: it does not.
    var renewSeconds: Int?
    /// Why a camera is offline; `private` while it is online and its device is closed.
    package var reason: String?
    /// What is wrong with the device of a camera that is offline, for people; nil: nothing more is known.
    package var error: String?

    /// Of a camera: it is offline or private.
    package var isDeviceClosed: Bool { state == .offline || reason == "private" }

    /// How many renewals may be missing before the agent counts as gone.
    private static let renewalsOfLifetime = 3

    private enum CodingKeys: String, CodingKey {
        case state, boot, reason, error
        case renewSeconds = "renew_s"
    }

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
