/// How many pages and streams a console has at once, in all and of one address.
struct SocketLimits {
    private static let maxCount = 64
    private static let maxOfAddress = 8

    private var counts = AddressCounts()

    func hasRoom(_ address: String) -> Bool {
        counts.sum < Self.maxCount && counts[address] < Self.maxOfAddress
    }

    /// - Returns: whether there was room.
    mutating func add(_ address: String) -> Bool {
        guard hasRoom(address) else { return false }
        counts.add(address)
        return true
    }

    mutating func remove(_ address: String) { counts.remove(address) }
}
