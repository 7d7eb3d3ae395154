import MQTTBus
import MQTTFrontEnd
import Messages
import Settings
import TestSupport
import Testing

/// What an agent does and reports when another device has its name.
struct SameNameWatchTests {
    private final class Bench {
        private let time = VirtualTime()
        let bus = CollectingBus()
        let watch: SameNameWatch
        private(set) var pauses: [Duration] = []
        private(set) var reports: [NameConflict.Standing] = []

        init(earlierRuns: [String] = []) {
            let settings = AgentSettings(agent: "porch", cameras: [])
            watch = SameNameWatch(
                MQTTFrontEnd(settings, to: bus), run: "own", earlierRuns: earlierRuns, spread: .none,
                on: time.loop)
            watch.pause = { [unowned self] in pauses.append($0) }
            watch.changed = { [unowned self] in reports.append(watch.standing) }
        }

        func advance(by duration: Duration) { time.advance(by: duration) }

        @discardableResult
        func deliver(
            _ payload: String, on topic: String = "v4l2mqtt/porch/info", isRetained: Bool = false
        ) -> Bool {
            watch.received(
                BusMessage(
                    topic: topic, payload: [UInt8](payload.utf8), qos: .atLeastOnce, isRetained: isRetained))
        }
    }

    @Test func theFirstDeviceIsReportedWithTheHostOfTheOther() throws {
        let bench = Bench()
        bench.watch.connected()
        bench.advance(by: .seconds(3_600))
        #expect(bench.watch.fields == nil)
        let end = ConnectionEnd(length: .seconds(3_600), isTakeover: true)
        #expect(bench.watch.delay(after: end, usual: .seconds(9)) == .milliseconds(250))
        #expect(bench.reports == [.first] && bench.watch.fields?.host == nil)
        bench.watch.connected()
        bench.deliver(#"{"agent":"porch","run":"other","host":"pi-8"}"#, isRetained: true)
        #expect(bench.reports == [.first, .first])
        let fields = try #require(bench.watch.fields)
        #expect(fields.host == "pi-8" && fields.at.hasSuffix("Z"))
        bench.advance(by: .seconds(1_501))
        #expect(bench.reports == [.first, .first, .alone] && bench.watch.fields == nil)
        #expect(bench.pauses.isEmpty)
    }

    @Test func theSecondDeviceWaitsAndPublishesNothing() {
        let bench = Bench()
        bench.watch.connected()
        bench.deliver(#"{"agent":"porch","run":"other","host":"pi-8"}"#)
        #expect(bench.pauses.count == 1 && bench.reports == [.second])
        #expect(bench.pauses.allSatisfy { .seconds(600) <= $0 && $0 < .seconds(630) })
        #expect(bench.watch.fields == nil && bench.watch.host == "pi-8")
    }

    /// The other device has overwritten states, and does not know of this one.
    @Test func theFirstDevicePublishesEverythingOnceMore() {
        let bench = Bench()
        bench.watch.connected()
        bench.advance(by: .seconds(3_600))
        for _ in 0..<2 { bench.deliver(#"{"agent":"porch","run":"other"}"#) }
        bench.advance(by: .seconds(2))
        #expect(bench.bus.republished == [nil] && bench.pauses.isEmpty)
    }

    /// The broker has crashed and has an old copy of its messages, or another broker has taken its place. The
    /// identity of the earlier run is the smaller one: a run that does not know it waits for ten minutes.
    @Test func whatABrokerHasOfAnEarlierRunIsNoSecondDevice() {
        let bench = Bench(earlierRuns: ["an-earlier-one", "another"])
        for earlier in ["an-earlier-one", "another", "an-earlier-one"] {
            bench.watch.connected()
            bench.deliver(#"{"agent":"porch","run":"\#(earlier)","host":"pi-7"}"#, isRetained: true)
            bench.deliver(#"{"agent":"porch","run":"own"}"#)
            bench.advance(by: .seconds(5))
            let end = ConnectionEnd(length: .seconds(5), isTakeover: false)
            #expect(bench.watch.delay(after: end, usual: .seconds(9)) == .seconds(9))
        }
        #expect(bench.reports.isEmpty && bench.pauses.isEmpty)
    }

    /// It has a copy of the state of this one: it publishes now what a broker would only have kept.
    @Test func aDeviceWithACopyOfTheStateIsNoticed() {
        let bench = Bench(earlierRuns: ["a"])
        bench.watch.connected()
        bench.advance(by: .seconds(3_600))
        bench.deliver(#"{"agent":"porch","run":"a","host":"pi-8"}"#)
        #expect(bench.reports == [.first])
    }

    @Test func otherMessagesSayNothing() {
        let bench = Bench()
        bench.watch.connected()
        for payload in ["", "{", "[]", #"{"run":7}"#, #"{"agent":"porch","run":"own"}"#] {
            #expect(bench.deliver(payload))
        }
        #expect(!bench.deliver(#"{"run":"other"}"#, on: "v4l2mqtt/garden/info"))
        #expect(bench.reports.isEmpty && bench.pauses.isEmpty)
    }

    @Test func theConfigurationOfTheFleetIsPassedOn() {
        var documents: [String] = []
        let subscription = Subscription.fleetConfiguration(Topics(base: "v4l2mqtt", agent: "porch")) {
            documents.append(String(decoding: $0, as: UTF8.self))
        }
        #expect(subscription.filter.filter == "v4l2mqtt/fleet/config")
        for payload in ["{}", ""] {
            subscription.received(
                BusMessage(
                    topic: subscription.filter.filter, payload: [UInt8](payload.utf8), qos: .atLeastOnce,
                    isRetained: true))
        }
        #expect(documents == ["{}"])
    }
}
