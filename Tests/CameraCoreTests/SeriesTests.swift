import FoundationEssentials
import TestSupport
import Testing

@testable import Cameras
@testable import Contract
@testable import Settings

/// The times of a series of photos.
struct SeriesTests {
    /// Milliseconds from the first exposure to each of them.
    private func times(_ photos: [PhotoFields]?) -> [Int] {
        let dates = (photos ?? []).compactMap { Timestamp.date($0.exposedAt) }
        return dates.map { Int((1_000 * $0.timeIntervalSince(dates[0])).rounded()) }
    }

    @Test(arguments: [("scripted", 1_000), ("scripted", 250), ("simulated", 1_000), ("simulated", 2_500)])
    func photosComeAtWholeIntervalsFromTheFirst(which: String, interval: Int) {
        let bench = CameraBench()
        if which == "scripted" {
            bench.attach()
        } else {
            bench.attach(simulated: .init(opticalMaximum: 1, width: 64, height: 36))
        }
        let reply = bench.send(.capture, #"{"count": 5, "interval_ms": \#(interval)}"#)
        bench.advance(by: .seconds(30))
        #expect(reply.statuses == [.accepted, .done])
        #expect(times(reply.final?.photos) == (0..<5).map { $0 * interval })
    }

    @Test func aMissedTimeIsSkippedAndTheOthersKeepTheirs() {
        let bench = CameraBench()
        bench.attach()
        let reply = bench.send(.capture, #"{"count": 5, "interval_ms": 1000}"#)
        bench.advance(by: .milliseconds(1_500))
        // The third photo is stored late: the times at 3 s and 4 s pass meanwhile.
        bench.media.held = [.store]
        bench.advance(by: .milliseconds(3_000))
        bench.media.held = []
        bench.media.release(.store)
        bench.advance(by: .seconds(10))
        #expect(times(reply.final?.photos) == [0, 1_000, 2_000, 4_500, 5_000])
    }
}
