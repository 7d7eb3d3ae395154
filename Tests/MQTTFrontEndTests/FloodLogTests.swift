import Base
import TestSupport
import Testing

@testable import Bus
@testable import Settings

/// What the log has of messages that are refused unread.
struct FloodLogTests {
    /// Of a burst with QoS 0, twenty commands are read.
    private let bench = AgentBench(limits: LimitSettings(totalCommandRate: 100), isAttached: false)

    private func flood() {
        for _ in 0..<120 { bench.deliver(FloodTests.zoom, #"{"by": 1}"#, qos: .atMostOnce) }
    }

    /// How many messages each warning names.
    private var counts: [Int] {
        bench.log.lines.filter { $0.contains("limits.total_") }.compactMap {
            $0.split(separator: " ").last.flatMap { Int($0) }
        }
    }

    @Test func theEndOfAFloodIsLoggedAfterAMinute() {
        flood()
        #expect(counts == [1])
        bench.advance(by: .milliseconds(59_999))
        #expect(counts == [1])
        bench.advance(by: .milliseconds(1))
        #expect(counts == [1, 99])
    }

    @Test func afterAFloodNothingIsLoggedAndNoTimerIsSet() {
        let timer = bench.loop.nextTimer
        flood()
        bench.advance(by: .seconds(120))
        #expect(counts == [1, 99] && bench.loop.nextTimer == timer)
        bench.advance(by: .seconds(3_600))
        #expect(counts == [1, 99])
        flood()
        #expect(counts == [1, 99, 1], "the next flood is logged at once")
    }

    @Test func aFloodIsLoggedOnceAMinuteAndNoMessageIsLeftOut() {
        for _ in 0..<150 {
            flood()
            bench.advance(by: .seconds(1))
        }
        bench.advance(by: .seconds(60))
        #expect(counts == [1, 5_999, 6_000, 3_000])
    }
}
