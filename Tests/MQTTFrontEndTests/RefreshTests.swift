import TestSupport
import Testing

@testable import Bus
@testable import Contract
@testable import FrontEnds
@testable import Settings

/// `refresh/set`: everything retained is published again.
struct RefreshTests {
    private let bench = AgentBench([
        CameraSettings(id: "door", groups: ["outside"]), CameraSettings(id: "gate", groups: ["outside"]),
        CameraSettings(id: "hall"),
    ])

    /// The topics that were published again since the last call, in the order of the turns.
    private func published() -> [Set<String>] { bench.bus.republished.compactMap { $0 } }

    private func start() {
        bench.advance(by: .seconds(1))
        bench.frontEnd.publishAgent(
            AgentInfo(
                agent: "porch", version: "1", protocol: 1, host: "h", cameras: ["door"], clients: .open,
                started: "t"))
    }

    @Test func theAgentPublishesEverythingAFewMessagesAtATime() {
        start()
        let all = Set(bench.bus.retainedTopics)
        #expect(all.count > 32)
        let answers = bench.answers(to: "v4l2mqtt/porch/refresh/set", #"{"id":"1","client":"phone"}"#)
        #expect(answers.map { $0["status"] } == [.text("done")] && answers.map { $0["id"] } == [.text("1")])
        #expect(bench.bus.messages.last?.topic == "v4l2mqtt/porch/refresh/reply")
        #expect(published().isEmpty, "not at once")
        bench.advance(by: .seconds(1))
        #expect(published().reduce(into: Set()) { $0.formUnion($1) } == all)
        #expect(
            published().allSatisfy { $0.count <= 16 } && published().map(\.count).reduce(0, +) == all.count)
    }

    /// Whatever a request names.
    @Test(arguments: ["porch/gate", "groups/outside"]) func everythingIsPublished(place: String) {
        start()
        let all = Set(bench.bus.retainedTopics)
        bench.answers(to: "v4l2mqtt/\(place)/refresh/set")
        bench.advance(by: .seconds(1))
        #expect(published().reduce(into: Set()) { $0.formUnion($1) } == all)
    }

    @Test func aGroupIsAnsweredByEachOfItsCameras() {
        start()
        let answers = bench.answers(to: "v4l2mqtt/groups/outside/refresh/set")
        #expect(answers.map { $0["camera"] } == [.text("door"), .text("gate")])
        #expect(bench.answers(to: "v4l2mqtt/groups/inside/refresh/set").isEmpty)
    }

    /// The second one may be of a client that was not there at the time of the first one.
    @Test func aRequestWithinTenSecondsIsCarriedOutAtTheirEnd() {
        start()
        bench.answers(to: "v4l2mqtt/porch/refresh/set")
        bench.advance(by: .seconds(5))
        let all = published().map(\.count).reduce(0, +)
        for _ in 0..<3 {
            for topic in ["door/refresh", "refresh"] {
                let answers = bench.answers(to: "v4l2mqtt/porch/\(topic)/set")
                #expect(answers.map { $0["status"] } == [.text("done")])
            }
        }
        bench.advance(by: .milliseconds(4_999))
        #expect(published().map(\.count).reduce(0, +) == all)
        bench.advance(by: .seconds(1))
        #expect(published().map(\.count).reduce(0, +) == 2 * all, "once for all requests")
        bench.advance(by: .seconds(60))
        #expect(published().map(\.count).reduce(0, +) == 2 * all)
    }

    @Test func onlyAGroupWaitsForItsPartOfTheSpread() {
        let bench = AgentBench([CameraSettings(id: "door", groups: ["outside"])], spread: 3_600)
        bench.advance(by: .seconds(1))
        let wait = Spread.wait(seconds: 3_600, of: MQTTSettings().clientID)
        bench.answers(to: "v4l2mqtt/groups/outside/refresh/set")
        bench.advance(by: wait - .seconds(1))
        #expect(bench.bus.republished.isEmpty)
        bench.answers(to: "v4l2mqtt/porch/refresh/set")
        bench.advance(by: .seconds(1))
        #expect(!bench.bus.republished.isEmpty)
    }

    @Test(arguments: [
        ("{\"x\":1}", "bad_payload"), ("nonsense", "bad_payload"), ("{\"if_rev\":1}", "bad_payload"),
        (#"{"ts":"2020-01-01T00:00:00Z","ttl_ms":1}"#, "stale"),
    ])
    func aPayloadThatIsNoCommandIsRefused(payload: String, code: String) {
        start()
        for topic in ["refresh", "door/refresh"] {
            let answers = bench.answers(to: "v4l2mqtt/porch/\(topic)/set", payload)
            #expect(answers.map { $0["error"]["code"] } == [.text(code)], "\(topic)")
        }
        bench.advance(by: .seconds(1))
        #expect(bench.bus.republished.isEmpty)
    }

    @Test func aRetainedRequestAndOneForAnUnknownCameraAreRefused() {
        start()
        let retained = bench.answers(to: "v4l2mqtt/porch/refresh/set", isRetained: true)
        #expect(retained.map { $0["error"]["code"] } == [.text("stale")])
        let unknown = bench.answers(to: "v4l2mqtt/porch/yard/refresh/set")
        #expect(unknown.map { $0["error"]["code"] } == [.text("bad_topic")])
        bench.advance(by: .seconds(1))
        #expect(bench.bus.republished.isEmpty)
    }

    @Test func aBrokerThatIsSlowIsNotFilled() {
        start()
        bench.bus.hasCapacity = false
        bench.answers(to: "v4l2mqtt/porch/refresh/set")
        bench.advance(by: .seconds(3))
        #expect(bench.bus.republished.isEmpty)
        bench.bus.hasCapacity = true
        bench.advance(by: .seconds(1))
        #expect(!bench.bus.republished.isEmpty)
    }
}
