/// Counts connections, or pages and streams: in all, and of each address. Takes no more than its limits.
struct AddressCounter {
    private let max: Int
    let maxOfAddress: Int
    private var counts: [String: Int] = [:]
    private var sum = 0

    init(max: Int = .max, maxOfAddress: Int) { (self.max, self.maxOfAddress) = (max, maxOfAddress) }

    /// Those of pages and streams.
    static let ofSockets = AddressCounter(max: 64, maxOfAddress: 8)

    func hasRoom(_ address: String) -> Bool {
        sum < max && counts[address, default: 0] < maxOfAddress
    }

    /// - Returns: whether there was room.
    mutating func add(_ address: String) -> Bool {
        guard hasRoom(address) else { return false }
        sum += 1
        counts[address, default: 0] += 1
        return true
    }

    /// To be called once for each ``add(_:)`` that had room.
    mutating func remove(_ address: String) {
        sum -= 1
        let rest = counts[address, default: 0] - 1
        counts[address] = rest > 0 ? rest : nil
    }
}
