/// How many messages came when, to a hundredth of a second.
struct MessageCounts: Sendable, Equatable {
    private static let bucketsPerSecond = 100

    private var buckets: [Int] = []
    /// All messages.
    private(set) var total = 0
    /// The bytes of their payloads.
    private(set) var bytes = 0

    init() {}

    /// - Parameter time: since the begin of the run, not negative.
    mutating func add(bytes count: Int, at time: Duration) {
        let bucket = Self.bucket(time)
        if bucket >= buckets.count {
            buckets += Array(repeating: 0, count: bucket + 1 - buckets.count)
        }
        buckets[bucket] += 1
        total += 1
        bytes += count
    }

    /// The messages of an interval.
    func count(in times: Range<Duration>) -> Int { slice(times).reduce(0, +) }

    /// The most messages in any second that lies in an interval, wherever that second begins.
    func peak(in times: Range<Duration>) -> Int {
        let slice = Array(slice(times))
        var (sum, most) = (0, 0)
        for (index, count) in slice.enumerated() {
            sum += count
            if index >= Self.bucketsPerSecond { sum -= slice[index - Self.bucketsPerSecond] }
            most = max(most, sum)
        }
        return most
    }

    /// The messages of each second, from the begin of the run.
    var perSecond: [Int] {
        stride(from: 0, to: buckets.count, by: Self.bucketsPerSecond).map { start in
            buckets[start..<min(start + Self.bucketsPerSecond, buckets.count)].reduce(0, +)
        }
    }

    private func slice(_ times: Range<Duration>) -> ArraySlice<Int> {
        let end = min(buckets.count, Self.bucket(times.upperBound) + 1)
        return buckets[min(Self.bucket(times.lowerBound), end)..<end]
    }

    private static func bucket(_ time: Duration) -> Int {
        Int(max(.zero, time) / .milliseconds(1000 / bucketsPerSecond))
    }
}
