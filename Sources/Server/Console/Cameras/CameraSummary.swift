/// What the list of all cameras says about one.
struct CameraSummary: Codable, Equatable, Sendable {
    var agentOnline = false
    /// True if nothing is known about the agent: it has published no availability, or has not renewed it in
    /// time.
    var agentSilent: Bool?
    var online = false
    var reason: String?
    /// For people.
    var name: String?
    var model: String?
    var groups: [String] = []

    private enum CodingKeys: String, CodingKey {
        case agentOnline = "agent_online"
        case agentSilent = "agent_silent"
        case online, reason, name, model, groups
    }
}
