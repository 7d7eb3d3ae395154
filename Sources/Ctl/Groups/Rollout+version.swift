internal import Contract

/// The version of a rollout, and the cameras whose versions are no part of its count.
extension Rollout {
    /// The version of a rollout that begins: that of the document, or one above all that are known.
    func version(of document: DesiredDocument, _ members: [CameraAddress]) throws(CommandError) -> Int {
        let newest = newestVersion(of: members)
        guard let version = document.version else {
            guard newest.version < Int.max else {
                throw CommandError(.badPayload, "version: no higher one is left.", field: "version")
            }
            return newest.version + 1
        }
        guard version > newest.version || document.resets else {
            throw CommandError(
                .stale,
                "version: \(version) isn't above \(newest.version), which \(newest.holder) has. Without a version in the file, one is chosen.",
                field: "version")
        }
        return version
    }

    /// The newest version of the group's count, and what has it.
    ///
    /// A camera may say anything, and no other would take a version far above its own
    /// (``DesiredSet/maxStep``). So the count is that of the group's copy; without one, the count that most
    /// agents have.
    private func newestVersion(of members: [CameraAddress]) -> (version: Int, holder: String) {
        let versions = members.compactMap { address in
            known(of: address).map { (version: $0.version, address: address) }
        }.sorted { $0.version < $1.version }
        if let newestSeen {
            let newest = versions.last {
                Self.isCounted($0.version, after: newestSeen.version) && $0.version > newestSeen.version
            }
            return newest.map { ($0.version, "\($0.address)") } ?? (newestSeen.version, newestSeen.topic)
        }
        var counts: [[(version: Int, address: CameraAddress)]] = []
        for one in versions {
            if let last = counts.last?.last, Self.isCounted(one.version, after: last.version) {
                counts[counts.count - 1].append(one)
            } else {
                counts.append([one])
            }
        }
        // Of equal ones the lowest, which others can still take.
        let most = counts.map { count in (count: count, agents: Set(count.map(\.address.agent)).count) }
            .max { $0.agents < $1.agents }
        guard let newest = most?.count.last else { return (0, "") }
        return (newest.version, "\(newest.address)")
    }

    /// Whether a camera with a version takes another one without `reset`. What others say may be below 0.
    private static func isCounted(_ version: Int, after last: Int) -> Bool {
        version <= last || version - max(last, 0) <= DesiredSet.maxStep
    }

    /// Whether a camera has a version far above that of the rollout, which it refuses therefore. It is
    /// ignored.
    func isFarAbove(_ address: CameraAddress) -> Bool {
        guard let rollout, document?.resets != true, let known = known(of: address) else { return false }
        return !Self.isCounted(known.version, after: rollout.version - 1)
    }

    /// A line for the user about such a camera.
    func farAboveNote(of address: CameraAddress) -> String? {
        guard isFarAbove(address), let known = known(of: address) else { return nil }
        return
            "\(address) has version \(known.version) of the group, far above \(rollout?.version ?? 0): it is ignored."
    }

    func known(of address: CameraAddress) -> DesiredState.Known? {
        fleet.cameras[address]?.desired?.value.known(of: plan.group)
    }
}
