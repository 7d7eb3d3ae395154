package import Clients

/// Divides a limited number of places among clients, so that none keeps the others out: when all places are
/// taken, a client that has more makes room for one that has fewer.
package enum FairShare {
    /// The place that becomes free for a client that needs one, when all are taken.
    ///
    /// It is a place of the client that has the most, and the newest of them. Of clients that have equally
    /// many, it is the one with the oldest place. A client makes room only if it still has as many as the
    /// newcomer afterwards, or if the newcomer has none.
    ///
    /// Clients that name themselves can be one sender with many names. They make room for a client whose name
    /// is proved, however few places they have, and such a client makes no room for them.
    ///
    /// - Parameter owners: who has the places, the oldest first.
    /// - Returns: an index in `owners`; nil: the newcomer has its share.
    package static func placeToFree(_ owners: [ClientIdentity?], for newcomer: ClientIdentity?) -> Int? {
        let claimed = owners.indices.filter { owners[$0]?.isProved != true }
        let areAllProved = newcomer?.isProved == true && claimed.isEmpty
        let candidates = areAllProved ? Array(owners.indices) : claimed
        var counts: [ClientIdentity?: Int] = [:]
        for place in candidates { counts[owners[place], default: 0] += 1 }
        let own = counts[newcomer] ?? 0
        guard let most = counts.values.max(), own == 0 || most > own + 1,
            let owner = candidates.first(where: { counts[owners[$0]] == most }).map({ owners[$0] })
        else { return nil }
        return candidates.last { owners[$0] == owner }
    }
}
