/// Counts connections, or pages and streams: in all, and of each network (``RequestRules/network(of:)``).
/// Takes no more than its limits. Those of a proxy have no network.
struct AddressCounter {
    private let max: Int
    let maxOfAddress: Int
    private var counts: [String: Int] = [:]
    private var sum = 0

    init(max: Int, maxOfAddress: Int) { (self.max, self.maxOfAddress) = (max, maxOfAddress) }

    /// Those of pages and streams.
    static let ofSockets = AddressCounter(max: 64, maxOfAddress: 8)
    /// Those of pages that have not sent their tokens.
    static let ofStrangers = AddressCounter(max: 8, maxOfAddress: 4)

    var isFull: Bool { sum >= max }

    func hasRoom(_ network: String?) -> Bool {
        !isFull && network.map { counts[$0, default: 0] < maxOfAddress } ?? true
    }

    /// - Returns: whether there was room.
    mutating func add(_ network: String?) -> Bool {
        guard hasRoom(network) else { return false }
        sum += 1
        if let network { counts[network, default: 0] += 1 }
        return true
    }

    /// To be called once for each ``add(_:)`` that had room.
    mutating func remove(_ network: String?) {
        sum -= 1
        guard let network else { return }
        let rest = counts[network, default: 0] - 1
        counts[network] = rest > 0 ? rest : nil
    }
}
