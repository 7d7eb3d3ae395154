/// How often a page may change which cameras it has open and watches. Each change makes messages to the
/// broker: a subscription, and a lease.
///
/// A camera that is added, left out or watched in another way is one change. A page has ``capacity`` of them,
/// and gets ``perSecond`` back in a second.
struct ChangeBudget {
    /// More than two lists of ``PageMessage/maxOpen`` that have no camera in common.
    private static let capacity = 192.0
    private static let perSecond = 16.0

    private var rest = capacity
    private var time: ContinuousClock.Instant?

    /// Takes so many changes; false: there are fewer left, and none is taken.
    mutating func take(_ count: Int, at time: ContinuousClock.Instant) -> Bool {
        if let before = self.time {
            rest = min(Self.capacity, rest + (time - before) / .seconds(1) * Self.perSecond)
        }
        self.time = time
        guard rest >= Double(count) else { return false }
        rest -= Double(count)
        return true
    }
}
