internal import Contract

/// What the list of all cameras says about one.
struct CameraSummary: Equatable, Sendable {
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

    var json: JSON {
        .object([
            "agent_online": .flag(agentOnline), "agent_silent": agentSilent.map(JSON.flag),
            "online": .flag(online), "reason": reason.map(JSON.text), "name": name.map(JSON.text),
            "model": model.map(JSON.text),
            "groups": .list(groups.map(JSON.text)),
        ])
    }
}
