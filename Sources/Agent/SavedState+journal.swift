package import CameraCore
package import StateStore

extension SavedState: JournaledDocument {
    /// A change of the saved state.
    package enum Change: Sendable {
        case camera(String, SavedCamera)
        case topics(SavedTopics)
        /// All of it, at the start of a run.
        case all(SavedState)
    }

    package mutating func apply(_ change: Change) throws -> JSONTree? {
        var after = self
        switch change {
        case .camera(let id, let camera): after.cameras[id] = camera
        case .topics(let topics): (after.discovered, after.served) = (topics.discovered, topics.served)
        case .all(let state): after = state
        }
        var patch = MergePatch()
        try patch.add("boot", from: boot, to: after.boot)
        switch change {
        case .camera(let id, let camera): patch.add("cameras", try patchOfCameras([id: camera]))
        case .topics: break
        case .all(let state): patch.add("cameras", try patchOfCameras(state.cameras))
        }
        try patch.add("discovered", from: discovered, to: after.discovered)
        try patch.add("served", from: served, to: after.served)
        self = after
        return patch.tree
    }

    private func patchOfCameras(_ after: [String: SavedCamera]) throws -> JSONTree? {
        var patch = MergePatch()
        for (id, camera) in after { patch.add(id, try camera.patch(from: cameras[id])) }
        return patch.tree
    }
}

extension SavedCamera {
    /// The merge patch that makes this camera's state of an earlier one.
    fileprivate func patch(from earlier: SavedCamera?) throws -> JSONTree? {
        guard let earlier else { return try JSONTree(encoding: self) }
        var patch = MergePatch()
        for member in Self.members where !member.isEqual(earlier, self) {
            guard let value = member.value(self) else {
                patch.add(member.name, .null)
                continue
            }
            let tree = try JSONTree(encoding: value)
            let before = try member.value(earlier).map { try JSONTree(encoding: $0) }
            patch.add(member.name, before.map { $0.patch(to: tree) } ?? tree)
        }
        return patch.tree
    }
}
