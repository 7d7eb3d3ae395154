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
            patch.add("cameras", try patchOfCameras([id: camera]))
            cameras[id] = camera
        case .topics(let topics):
            try patch.add("discovered", from: discovered, to: topics.discovered)
            try patch.add("served", from: served, to: topics.served)
            (discovered, served) = (topics.discovered, topics.served)
        case .revisionsKnown:
            try patch.add("lacksRevisions", from: lacksRevisions, to: false)
            lacksRevisions = false
        case .all(let state):
            try patch.add("boot", from: boot, to: state.boot)
            try patch.add("lacksRevisions", from: lacksRevisions, to: state.lacksRevisions)
            patch.add("cameras", try patchOfCameras(state.cameras, areAll: true))
            try patch.add("lastBoots", from: lastBoots, to: state.lastBoots)
            try patch.add("forgottenRevision", from: forgottenRevision, to: state.forgottenRevision)
            try patch.add("discovered", from: discovered, to: state.discovered)
            try patch.add("served", from: served, to: state.served)
            try patch.add("instance", from: instance, to: state.instance)
            self = state
        }
        return patch.tree
    }

    /// - Parameter areAll: whether cameras that are not among them are removed.
    private func patchOfCameras(_ after: [String: SavedCamera], areAll: Bool = false) throws -> JSON? {
        var patch = MergePatch()
        if areAll {
            for id in cameras.keys where after[id] == nil { patch.add(id, .null) }
        }
        for (id, camera) in after { patch.add(id, try camera.patch(from: cameras[id])) }
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
