internal import Clients

/// Divides a limited number of places among clients, so that none keeps the others out: when all places are
/// taken, a client that has more makes room for one that has fewer.
enum FairShare {
    /// The place that becomes free for a client that needs one, when all are taken.
    ///
    /// It is a place of the client that has the most, and the newest of them. Of clients that have equally
    /// many, it is the one with the oldest place. A client makes room only if it still has as many as the
    /// newcomer afterwards, or if the newcomer has none.
    ///
    /// - Parameter owners: who has the places, the oldest first.
    /// - Returns: an index in `owners`; nil: the newcomer has its share.
    static func placeToFree(_ owners: [ClientIdentity?], for newcomer: ClientIdentity?) -> Int? {
        var counts: [ClientIdentity?: Int] = [:]
        for owner in owners { counts[owner, default: 0] += 1 }
        let own = counts[newcomer] ?? 0
        guard let most = counts.values.max(), own == 0 || most > own + 1,
            let owner = owners.first(where: { counts[$0] == most })
        else { return nil }
        return owners.lastIndex(of: owner)
    }
}
