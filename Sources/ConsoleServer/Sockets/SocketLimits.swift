/// How many pages and streams a console has at once, in all and of one address.
struct SocketLimits {
    private static let maxCount = 64
    private static let maxOfAddress = 8

    private var counts: [String: Int] = [:]
    private var count = 0

    func hasRoom(_ address: String) -> Bool {
        count < Self.maxCount && counts[address, default: 0] < Self.maxOfAddress
    }

    /// - Returns: whether there was room.
    mutating func add(_ address: String) -> Bool {
        guard hasRoom(address) else { return false }
        count += 1
        counts[address, default: 0] += 1
        return true
    }

    mutating func remove(_ address: String) {
        count -= 1
        let rest = counts[address, default: 1] - 1
        counts[address] = rest > 0 ? rest : nil
    }
}
