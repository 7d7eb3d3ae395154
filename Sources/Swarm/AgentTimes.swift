/// When each agent did what a scenario waits for.
package struct AgentTimes: Sendable, Equatable {
    private var times: [Duration?]
    /// How many have done it.
    package private(set) var count = 0

    /// - Parameter agents: how many there are.
    package init(agents: Int) { times = Array(repeating: nil, count: agents) }

    /// Notes an agent. The first time counts.
    package mutating func note(_ agent: Int, at time: Duration) {
        guard times[agent] == nil else { return }
        times[agent] = time
        count += 1
    }

    /// Follows how many agents are in a state, whichever they are: the time of each is that since which so
    /// many are. Not together with ``note(_:at:)``.
    package mutating func follow(count wanted: Int, at time: Duration) {
        while count < min(wanted, times.count) { note(count, at: time) }
        while count > max(0, wanted) {
            count -= 1
            times[count] = nil
        }
    }

    package var isComplete: Bool { count == times.count }
    package var missing: Int { times.count - count }

    /// The first, the median and the last of the times, since a moment; nil: no agent has done it.
    package func statistics(since start: Duration) -> Statistics? {
        let sorted = times.compactMap { $0 }.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        // Of an even number, the lower one of the two in the middle.
        let median = sorted[(sorted.count - 1) / 2]
        return Statistics(
            first: (first - start) / .seconds(1), median: (median - start) / .seconds(1),
            last: (last - start) / .seconds(1))
    }

    /// In seconds.
    package struct Statistics: Sendable, Equatable {
        package var first: Double
        package var median: Double
        package var last: Double

        package init(first: Double, median: Double, last: Double) {
            (self.first, self.median, self.last) = (first, median, last)
        }
    }
}
