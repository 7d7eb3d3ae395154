/// When each agent did what a scenario waits for.
struct AgentTimes: Sendable, Equatable {
    private var times: [Duration?]
    /// How many have done it.
    private(set) var count = 0

    /// - Parameter agents: how many there are.
    init(agents: Int) { times = Array(repeating: nil, count: agents) }

    /// Notes an agent. The first time counts.
    mutating func note(_ agent: Int, at time: Duration) {
        guard times[agent] == nil else { return }
        times[agent] = time
        count += 1
    }

    /// Follows how many agents are in a state, whichever they are: the time of each is that since which so
    /// many are. Not together with ``note(_:at:)``.
    mutating func follow(count wanted: Int, at time: Duration) {
        while count < min(wanted, times.count) { note(count, at: time) }
        while count > max(0, wanted) {
            count -= 1
            times[count] = nil
        }
    }

    var isComplete: Bool { count == times.count }
    var missing: Int { times.count - count }

    /// The first, the median and the last of the times, since a moment; nil: no agent has done it.
    func statistics(since start: Duration) -> Statistics? {
        let sorted = times.compactMap { $0 }.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        // Of an even number, the lower one of the two in the middle.
        let median = sorted[(sorted.count - 1) / 2]
        return Statistics(
            first: (first - start) / .seconds(1), median: (median - start) / .seconds(1),
            last: (last - start) / .seconds(1))
    }

    /// In seconds.
    struct Statistics: Sendable, Equatable {
        var first: Double
        var median: Double
        var last: Double

        init(first: Double, median: Double, last: Double) {
            (self.first, self.median, self.last) = (first, median, last)
        }
    }
}
