/// What the list of all cameras says about one.
package struct CameraSummary: Codable, Equatable, Sendable {
    package var agentOnline = false
    /// True if nothing is known about the agent: it has published no availability, or has not renewed it in
    /// time.
    package var agentSilent: Bool?
    package var online = false
    package var reason: String?
    package var model: String?
    package var groups: [String] = []

    private enum CodingKeys: String, CodingKey {
        case agentOnline = "agent_online"
        case agentSilent = "agent_silent"
        case online, reason, model, groups
    }

    package init() {}
}
