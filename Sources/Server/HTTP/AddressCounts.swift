/// Counts things by the address of the browser to which they belong.
struct AddressCounts {
    private var counts: [String: Int] = [:]
    /// Of all addresses.
    private(set) var sum = 0

    subscript(address: String) -> Int { counts[address, default: 0] }

    mutating func add(_ address: String) {
        sum += 1
        counts[address, default: 0] += 1
    }

    /// To be called once for each ``add(_:)``.
    mutating func remove(_ address: String) {
        sum -= 1
        let rest = self[address] - 1
        counts[address] = rest > 0 ? rest : nil
    }
}
