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

    /// About how many bytes its JSON has.
    var bytes: Int {
        200 + ([reason, name, model].compactMap { $0 } + groups).reduce(0) { $0 + $1.utf8.count }
    }

    var json: JSON {
        .object([
            "agent_online": .flag(agentOnline), "agent_silent": agentSilent.map(JSON.flag),
            "online": .flag(online), "reason": reason.map(JSON.text), "name": name.map(JSON.text),
            "model": model.map(JSON.text),
            "groups": .list(groups.map(JSON.text)),
        ])
    }
}
