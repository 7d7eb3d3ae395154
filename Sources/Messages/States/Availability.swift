/// Whether an agent or a camera is there.
package struct Availability: Sendable, Equatable, Codable {
    package enum State: String, Sendable, Codable { case online, offline, stopped }

    package var state: State
    /// The agent's count of starts; not with a camera.
    package var boot: Int?
    /// Why a camera is offline; `private` while it is online and its device is closed.
    package var reason: String?

    package init(_ state: State, boot: Int? = nil, reason: String? = nil) {
        self.state = state
        self.boot = boot
        self.reason = reason
    }
}
