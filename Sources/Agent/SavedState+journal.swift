import Contract
import Core
internal import State

extension SavedState: JournaledDocument {
    /// A change of the saved state.
    enum Change: Sendable {
        case camera(String, SavedCamera)
        case topics(SavedTopics)
        case revisionsKnown
        /// All of it, at the start of a run.
        case all(SavedState)
    }

    mutating func apply(_ change: Change) throws -> JSON? {
        var patch = MergePatch()
        switch change {
        case .camera(let id, let camera):
            var changed = MergePatch()
            changed.add(id, try camera.patch(from: cameras[id]))
            patch.add("cameras", changed.tree)
            cameras[id] = camera
        case .topics(let topics):
            try patch.add("discovered", from: discovered, to: topics.discovered)
            try patch.add("served", from: served, to: topics.served)
            (discovered, served) = (topics.discovered, topics.served)
        case .revisionsKnown:
            try patch.add("lacksRevisions", from: lacksRevisions, to: false)
            lacksRevisions = false
        case .all(let state):
            let before = try JSON(encoding: self)
            self = state
            return before.patch(to: try JSON(encoding: state))
        }
        return patch.tree
    }
}

extension SavedCamera {
    /// The merge patch that makes this camera's state of an earlier one.
    fileprivate func patch(from earlier: SavedCamera?) throws -> JSON? {
        guard let earlier else { return try JSON(encoding: self) }
        var patch = MergePatch()
        for member in Self.members where !member.isEqual(earlier, self) {
            try patch.addEncoded(member.name, from: member.value(earlier), to: member.value(self))
        }
        return patch.tree
    }
}
