package import CameraCore

/// The state that outlives the agent.
package struct SavedState: Sendable, Equatable, Codable {
    /// Counts the starts.
    package var boot = 0
    package var cameras: [String: SavedCamera] = [:]
    /// Discovery documents that may be at the broker: their topics, each with the components that it ever
    /// had.
    package var discovered: [String: [String]] = [:]
    /// What this agent published at the broker: the roots of its topics, under each of its names, and the
    /// cameras below them.
    package var served: [String: [String]] = [:]
    /// Whether the revisions that the broker has aren't known yet, after an earlier state was lost.
    package var lacksRevisions = false

    package init() {}

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        boot = try fields.count(.boot)
        cameras = try fields.decode([String: SavedCamera].self, forKey: .cameras)
        // Files of earlier versions lack these.
        discovered = try fields.decodeIfPresent([String: [String]].self, forKey: .discovered) ?? [:]
        served = try fields.decodeIfPresent([String: [String]].self, forKey: .served) ?? [:]
        lacksRevisions = try fields.decodeIfPresent(Bool.self, forKey: .lacksRevisions) ?? false
    }
}

/// What the agent published at the broker, besides the states of its cameras.
package struct SavedTopics: Sendable, Equatable {
    /// See ``SavedState/discovered``.
    package var discovered: [String: [String]]
    /// See ``SavedState/served``.
    package var served: [String: [String]]

    package init(discovered: [String: [String]], served: [String: [String]]) {
        (self.discovered, self.served) = (discovered, served)
    }
}
