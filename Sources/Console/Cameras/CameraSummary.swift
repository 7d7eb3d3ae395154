/// What the list of all cameras says about one.
package struct CameraSummary: Codable, Equatable, Sendable {
    package var agentOnline = false
    package var online = false
    package var reason: String?
    package var model: String?
    package var groups: [String] = []

    private enum CodingKeys: String, CodingKey {
        case agentOnline = "agent_online"
        case online, reason, model, groups
    }

    package init() {}
}
