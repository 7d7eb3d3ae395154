internal import Contract

/// The version of a rollout, and the cameras whose versions are no part of its count.
extension Rollout {
    /// The version of the document, unless a later one is known.
    func chosenVersion(_ members: [CameraAddress]) throws(Ending) -> Int {
        let newest = newestVersion(of: members)
        let next =
            newest.version < Int.max ? "The next one is \(newest.version + 1)." : "No higher one is left."
        guard let version = document.version else {
            throw .failed(
                CommandError(
                    .badPayload, "version: neither in the file nor given by --version. \(next)",
                    field: "version"))
        }
        guard version >= newest.version || document.resets else {
            throw .failed(
                CommandError(
                    .stale,
                    "version: \(version) is below \(newest.version), which \(newest.holder) has. \(next)",
                    field: "version"))
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
        if let copy {
            let newest = versions.last {
                Self.isCounted($0.version, after: copy.version) && $0.version > copy.version
            }
            return newest.map { ($0.version, "\($0.address)") } ?? (copy.version, copy.topic)
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
        guard !document.resets, let known = known(of: address) else { return false }
        return !Self.isCounted(known.version, after: version - 1)
    }

    /// A line for the user about such a camera.
    func farAboveNote(of address: CameraAddress) -> String? {
        guard isFarAbove(address), let known = known(of: address) else { return nil }
        return
            "\(address) has version \(known.version) of the group, far above \(version): it is ignored."
    }

    func known(of address: CameraAddress) -> DesiredState.Known? {
        fleet.cameras[address]?.desired?.value.known(of: plan.group)
    }
}
