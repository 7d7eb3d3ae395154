internal import Bus
internal import Contract

/// The names under which this agent published, and whether other agents use them now.
package struct EarlierNames {
    /// An agent that has an earlier name of this one.
    private struct NameOwner {
        var isOnline = false
        var cameras: Set<String>?
    }

    /// The root of the present topics.
    private let root: String
    /// By the root of the topics: the cameras below it.
    private(set) var served: [String: [String]]
    private var owners: [String: NameOwner] = [:]

    init(root: String, served: [String: [String]]) { (self.root, self.served) = (root, served) }

    /// A new connection: other agents may have come or gone meanwhile.
    mutating func resetOwners() { owners = [:] }

    /// Notes a message about the agent that has an earlier name.
    mutating func note(_ message: BusMessage, of earlier: Topics) {
        if message.topic == earlier.agentAvailability {
            let state = JSON.value(Availability.self, from: message.payload)?.state
            owners[earlier.root, default: .init()].isOnline = state == .online
        } else {
            let info = JSON.value(AgentInfo.self, from: message.payload)
            owners[earlier.root, default: .init()].cameras = info.map { Set($0.cameras) }
        }
    }

    /// Whether no agent that is online serves this camera below this root.
    func isUnserved(_ camera: String, below root: String) -> Bool {
        guard let owner = owners[root], owner.isOnline else { return true }
        return owner.cameras.map { !$0.contains(camera) } ?? false
    }

    /// The roots before the present one.
    var earlierRoots: [String] { served.keys.filter { $0 != root }.sorted() }

    /// The retained topics below earlier roots that no other agent serves.
    var obsoleteTopics: [String] {
        earlierRoots.flatMap { earlier -> [String] in
            guard let topics = Topics(root: earlier) else { return [] }
            let cameras = (served[earlier] ?? []).filter {
                Topics.isName($0) && isUnserved($0, below: earlier)
            }
            // The agent's own topics come last: when a client sees them removed, all others are removed.
            return cameras.flatMap(topics.retained(ofCamera:))
                + (owners[earlier]?.isOnline == true ? [] : topics.retained)
        }
    }

    /// Removes the earlier roots.
    mutating func keepOnly(_ cameras: [String]) { served = [root: cameras] }
}
