internal import Contract
package import ZoomModel

/// Divides a limited number of places among clients, so that none keeps the others out: when all places are
/// taken, a client that has more makes room for one that has fewer.
package enum FairShare {
    /// A client that has a place, or needs one.
    package struct Owner: Sendable {
        let client: ClientIdentity?
        let standing: ClientStanding

        package init(_ client: ClientIdentity?, _ standing: ClientStanding) {
            (self.client, self.standing) = (client, standing)
        }
    }

    /// The place that becomes free for a newcomer, of which the caller ends what has it.
    ///
    /// - Parameters:
    ///   - owners: who has the places, the oldest first.
    ///   - limit: the number of places.
    ///   - words: why there is none for the newcomer.
    /// - Returns: an index in `owners`; nil: not all places are taken.
    /// - Throws: `busy` when the newcomer has its share.
    static func place(
        for newcomer: Owner, among owners: [Owner], atMost limit: Int, else words: @autoclosure () -> String
    ) throws(CommandError) -> Int? {
        guard owners.count >= limit else { return nil }
        guard let place = placeToFree(owners, for: newcomer) else { throw CommandError(.busy, words()) }
        return place
    }

    /// The place that becomes free for a client that needs one, when all are taken.
    ///
    /// Clients of the lowest standing make room. If the newcomer's is higher, they do so however few places
    /// they have; if it is lower, none does.
    ///
    /// It is a place of the client that has the most, and the newest of them. Of clients that have equally
    /// many, it is the one with the oldest place. A client of the newcomer's standing makes room only if it
    /// still has as many as the newcomer afterwards, or if the newcomer has none.
    ///
    /// - Parameter owners: who has the places, the oldest first.
    /// - Returns: an index in `owners`; nil: the newcomer has its share.
    package static func placeToFree(_ owners: [Owner], for newcomer: Owner) -> Int? {
        guard let lowest = owners.map(\.standing).min(), lowest <= newcomer.standing else { return nil }
        let candidates = owners.indices.filter { owners[$0].standing == lowest }
        var counts: [ClientIdentity?: Int] = [:]
        for place in candidates { counts[owners[place].client, default: 0] += 1 }
        let own = lowest == newcomer.standing ? counts[newcomer.client] ?? 0 : 0
        guard let most = counts.values.max(), own == 0 || most > own + 1,
            let owner = candidates.first(where: { counts[owners[$0].client] == most })
                .map({ owners[$0].client })
        else { return nil }
        return candidates.last { owners[$0].client == owner }
    }
}

extension CommandError {
    /// The answer to what had the place.
    static func madeRoom(_ subject: String) -> CommandError {
        CommandError(.busy, "The \(subject) made room for one of another client.")
    }
}

/// Whether a client isn't one of many names of the same sender. Proved clients do not make room for others.
package enum ClientStanding: Int, Sendable, Comparable {
    /// It gave itself its name.
    case unproved
    /// Its commands come on the topic of its account, and the agent accepts no others.
    case proved

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
