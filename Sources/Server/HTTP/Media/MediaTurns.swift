/// The order of the requests for parts of files. An agent refuses more than a few requests of one client at a
/// time, so the others wait here. A turn is for one part: a browser that reads slowly keeps no place.
final class MediaTurns {
    /// The requests of a client that an agent has at a time. It takes four; the others are left for lists and
    /// deletions of the pages.
    private static let maxUnderWay = 2

    struct Owner: Hashable {
        let agent: String
        let client: String
    }

    /// The place of one request.
    final class Turn {
        fileprivate let owner: Owner
        fileprivate let begin: () -> Void
        fileprivate var isUnderWay = false

        /// - Parameter begin: sends the request.
        init(of owner: Owner, begin: @escaping () -> Void) { (self.owner, self.begin) = (owner, begin) }
    }

    /// Of all owners, in their order.
    private var turns: [Turn] = []

    var isEmpty: Bool { turns.isEmpty }

    /// Begins a turn, now or when one of the same owner ends.
    func add(_ turn: Turn) {
        turns.append(turn)
        beginNext(of: turn.owner)
    }

    /// The request of a turn is answered, or is not wanted any more.
    func end(_ turn: Turn) {
        turns.removeAll { $0 === turn }
        beginNext(of: turn.owner)
    }

    /// A turn that begins may end at once, and others may be added.
    private func beginNext(of owner: Owner) {
        while turns.count(where: { $0.owner == owner && $0.isUnderWay }) < Self.maxUnderWay,
            let turn = turns.first(where: { $0.owner == owner && !$0.isUnderWay })
        {
            turn.isUnderWay = true
            turn.begin()
        }
    }
}
