/// What each of many has for itself. With more than there are places, the one that was unused for longest
/// makes room: names can be invented, and those who go on sending are remembered.
struct Shares<Key: Hashable, Value> {
    private static var maxCount: Int { 1_024 }

    private var places: [Key: (value: Value, lastUse: ContinuousClock.Instant)] = [:]

    /// - Parameter new: the value of one that has none yet.
    mutating func use<Result>(
        _ key: Key, at now: ContinuousClock.Instant, new: @autoclosure () -> Value,
        _ change: (inout Value) -> Result
    ) -> Result {
        if let place = places.index(forKey: key) {
            places.values[place].lastUse = now
            return change(&places.values[place].value)
        }
        if places.count >= Self.maxCount,
            let oldest = places.indices.min(by: { places.values[$0].lastUse < places.values[$1].lastUse })
        {
            places.remove(at: oldest)
        }
        var value = new()
        defer { places[key] = (value, now) }
        return change(&value)
    }
}
