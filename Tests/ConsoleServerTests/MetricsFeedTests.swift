import Bus
import Settings
import Testing

@testable import Server

@Suite struct MetricsFeedTests {
    private let feed = MetricsFeed(
        FleetMetrics(baseTopic: "v4l2mqtt"), BusSettings(.standard), changed: { _ in }, log: { _ in })
    private let start = ContinuousClock.now

    @Test func readersShareATextForASecond() {
        let text = feed.text(at: start)
        #expect(feed.text(at: start + .milliseconds(999)) === text)
        #expect(feed.text(at: start + .seconds(1)) !== text)
    }

    @Test func slowReadersKeepAtMostFourTexts() {
        var held = (0..<10).map { feed.text(at: start + .seconds($0)) }
        #expect(Set(held.map { ObjectIdentifier($0) }).count == 4)
        held = []
        let newer = feed.text(at: start + .seconds(10))
        #expect(feed.text(at: start + .seconds(11)) !== newer)
    }
}
