/// What each of many has for itself. With more than there are places, the one that was unused for longest
/// makes room: names can be invented, and those who go on sending are remembered.
struct Shares<Key: Hashable, Value> {
    static var maxCount: Int { 1_024 }

    private var values: [Key: Value] = [:]
    /// In the order of their last use. Who sends now is near the end, where the search for it begins; a new
    /// name needs none.
    private var order: [Key] = []

    /// - Parameter new: the value of one that has none yet.
    mutating func use<Result>(
        _ key: Key, new: @autoclosure () -> Value, _ change: (inout Value) -> Result
    ) -> Result {
        if let place = values.index(forKey: key) {
            if order.last != key, let last = order.lastIndex(of: key) { order.append(order.remove(at: last)) }
            return change(&values.values[place])
        }
        if values.count >= Self.maxCount { values[order.removeFirst()] = nil }
        order.append(key)
        var value = new()
        defer { values[key] = value }
        return change(&value)
    }
}
