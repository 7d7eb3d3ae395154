import TestSupport
import Testing

@testable import Bus
@testable import Contract
@testable import FrontEnds
@testable import Settings

/// What an agent sends, waits for and reports until it knows that its name is free, and when another device
/// wants it (``NameRuleTests`` has who gets it).
struct NameCheckTests {
    private final class Bench {
        private let time = VirtualTime()
        let bus = CollectingBus()
        let check: NameCheck
        private(set) var pauses: [Duration] = []
        private(set) var reports: [NameOwnership] = []
        /// The `numbers` with which the name became free.
        private(set) var freed: [Int?] = []

        init(instance: String = "own", isProved: Bool = false) {
            var settings = AgentSettings(agent: "porch", cameras: [])
            settings.clients.mode = isProved ? .proved : .open
            check = NameCheck(
                MQTTFrontEnd(settings, to: bus), instance: instance, run: "5", host: "pi-7", on: time.loop)
            check.pause = { [unowned self] in pauses.append($0) }
            check.changed = { [unowned self] in reports.append(check.ownership) }
            check.becameFree = { [unowned self] in freed.append($0) }
        }

        func advance(by duration: Duration) { time.advance(by: duration) }

        /// A connection on which the broker has this `info`.
        func connect(brokerHas info: String? = nil) {
            check.connected()
            check.subscribed()
            if let info { deliver(info, isRetained: true) }
        }

        /// The broker acknowledges the request.
        func acknowledge() { bus.ahead.last { !$0.message.isRetained }?.received() }

        /// An `info` below the agent's name.
        func deliver(_ payload: String, isRetained: Bool = false) {
            let subscription = check.subscription
            subscription.received(message(payload, on: subscription.filter.filter, isRetained))
        }

        private func message(_ payload: String, on topic: String, _ isRetained: Bool) -> BusMessage {
            BusMessage(
                topic: topic, payload: [UInt8](payload.utf8), qos: .atLeastOnce, isRetained: isRetained)
        }

        /// A device asks whether the name is free.
        func ask() { check.noteRequest(message("", on: "v4l2mqtt/porch/refresh/set", false)) }
    }

    private static let others = #"{"agent":"porch","instance":"other","run":"7","host":"pi-8","numbers":41}"#

    @Test(arguments: [
        nil, #"{"agent":"porch","instance":"own","run":"4","numbers":41}"#,
        // No agent writes it.
        #"{"agent":"porch","instance":"other","run":"4","numbers":-41}"#,
    ])
    func aFreeNameCostsOneRoundTrip(info: String?) {
        let bench = Bench()
        bench.connect(brokerHas: info)
        #expect(bench.bus.ahead.map(\.message.topic) == ["v4l2mqtt/porch/refresh/set"])
        #expect(bench.freed.isEmpty)
        bench.acknowledge()
        #expect(bench.freed == [info?.contains(":41") == true ? 41 : nil])
        bench.advance(by: .seconds(60))
        #expect(bench.freed.count == 1 && bench.pauses.isEmpty && bench.reports.isEmpty)
    }

    @Test func aDeviceThatDoesNotAnswerLosesTheNameAfterThreeSeconds() {
        let bench = Bench()
        bench.connect(brokerHas: Self.others)
        bench.acknowledge()
        bench.advance(by: .milliseconds(2_900))
        #expect(bench.freed.isEmpty)
        bench.advance(by: .milliseconds(200))
        #expect(bench.freed == [41] && bench.reports.isEmpty)
    }

    @Test func aDeviceThatAnswersKeepsTheName() {
        let bench = Bench()
        bench.connect(brokerHas: Self.others)
        bench.acknowledge()
        bench.deliver(Self.others)
        #expect(bench.pauses.count == 1 && bench.reports == [.other] && bench.check.host == "pi-8")
        #expect(bench.pauses.allSatisfy { .seconds(600) <= $0 && $0 <= .seconds(660) })
        bench.advance(by: .seconds(600))
        #expect(bench.freed.isEmpty && bench.check.fields == nil)
        bench.connect()
        bench.acknowledge()
        #expect(bench.freed == [nil] && bench.reports == [.other, .alone])
    }

    @Test(arguments: [true, false]) func aDeviceThatIsThrownOutOfItsCheckWaits(isTold: Bool) {
        let bench = Bench()
        bench.connect(brokerHas: Self.others)
        let end = ConnectionEnd(length: .seconds(1), isTakeover: isTold)
        let wait = bench.check.delay(after: end, usual: .seconds(9))
        #expect(.seconds(600) <= wait && wait <= .seconds(660) && bench.check.host == "pi-8")
        bench.advance(by: .seconds(60))
        #expect(bench.reports == [.other] && bench.freed.isEmpty)
    }

    /// The broker's word alone (0x8E) says that there is another one.
    @Test func aDeviceThatIsThrownOutBeforeItKnowsTheOtherWaits() {
        let bench = Bench()
        bench.connect()
        let end = ConnectionEnd(length: .seconds(1), isTakeover: true)
        let wait = bench.check.delay(after: end, usual: .seconds(9))
        #expect(.seconds(600) <= wait && wait <= .seconds(660))
        bench.acknowledge()
        bench.advance(by: .seconds(60))
        #expect(bench.reports == [.other] && bench.freed.isEmpty)
    }

    @Test func aDeviceThatHasTheNameComesBackAtOnceAndReportsTheOther() throws {
        let bench = Bench()
        bench.connect()
        bench.acknowledge()
        let end = ConnectionEnd(length: .seconds(3), isTakeover: true)
        #expect(bench.check.delay(after: end, usual: .seconds(9)) == .zero)
        #expect(bench.reports == [.owner] && bench.check.fields?.host == nil)
        bench.connect(brokerHas: #"{"agent":"porch","instance":"own","run":"5"}"#)
        bench.acknowledge()
        #expect(bench.freed.count == 2)
        bench.advance(by: .seconds(1_501))
        #expect(bench.reports == [.owner, .alone] && bench.check.fields == nil)
    }

    @Test func whoAsksForTheNameIsAnsweredAtOnce() {
        let bench = Bench()
        bench.connect()
        bench.ask()
        #expect(bench.bus.republished.isEmpty, "it hasn't the name yet")
        bench.acknowledge()
        for _ in 0..<3 { bench.ask() }
        #expect(bench.bus.republished == [["v4l2mqtt/porch/info"]])
        bench.advance(by: .milliseconds(1_100))
        #expect(bench.bus.republished.count == 2, "the last one waits for a second at most")
        #expect(bench.reports.isEmpty, "a controller may ask too")
    }

    /// It is thrown out by the connection of the other one, and may find nothing else of it.
    @Test func theDeviceThatHasTheNameIsToldInItsInfo() throws {
        let (first, second) = (Bench(), Bench(instance: "new"))
        first.connect()
        first.acknowledge()
        second.connect(brokerHas: #"{"agent":"porch","instance":"own","run":"5","x":[1]}"#)
        let told = try #require(second.bus.ahead.last).message
        #expect(told.topic == "v4l2mqtt/porch/info" && told.isRetained && told.json["x"] == [1])
        #expect(told.json["run"] == "5" && told.json["same_name"]["host"] == "pi-7")
        second.deliver(told.text)
        #expect(second.reports.isEmpty, "it comes back, and is no answer")
        #expect(
            first.check.delay(after: .init(length: .seconds(9), isTakeover: false), usual: .zero) == .zero)
        first.connect(brokerHas: told.text)
        #expect(first.reports == [.owner] && first.check.fields?.host == "pi-7")
        first.acknowledge()
        // What it publishes then comes back.
        let at = try #require(first.check.fields).at
        for at in [at, "2026-11-24T00:00:00Z"] {
            first.deliver(#"{"instance":"own","run":"5","same_name":{"host":"pi-7","at":"\#(at)"}}"#)
        }
        #expect(first.reports == [.owner] && first.freed.count == 2)
        first.advance(by: .seconds(1_501))
        #expect(first.reports == [.owner, .alone] && first.check.fields == nil)
    }

    @Test func whereClientsProveTheirNamesTheRequestDoes() {
        let bench = Bench(isProved: true)
        bench.connect()
        #expect(bench.bus.ahead.map(\.message.topic) == ["v4l2mqtt/porch/refresh/set/porch"])
    }

    /// Both found the name free; the other one gives way, as its run is the greater one.
    @Test func whatTheOtherDeviceHasOverwrittenIsPublishedOnceMore() {
        let bench = Bench()
        bench.connect()
        bench.acknowledge()
        for _ in 0..<2 { bench.deliver(Self.others) }
        bench.advance(by: .seconds(2))
        #expect(bench.bus.republished == [nil] && bench.pauses.isEmpty)
        #expect(bench.check.fields?.host == "pi-8")
    }

    @Test func otherMessagesSayNothing() {
        let bench = Bench()
        bench.connect()
        bench.acknowledge()
        for payload in ["", "{", "[]", #"{"run":7}"#, #"{"agent":"porch","instance":"own","run":"5"}"#] {
            bench.deliver(payload)
        }
        #expect(bench.check.subscription.filter.filter == "v4l2mqtt/porch/info")
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
