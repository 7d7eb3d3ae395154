import Base
import TestSupport
import Testing

@testable import Bus
@testable import Contract
@testable import FrontEnds
@testable import Settings

/// Retained messages of earlier names are removed from the broker, and nothing else.
struct RetainedTopicCleanupTests {
    private static let document = "homeassistant/device/old/config"

    /// An agent `barn` that was `porch`, with the camera `door`.
    private final class Bench {
        private let time = VirtualTime()
        let bus = CollectingBus()
        let documents: ScriptedDocuments
        let cleanup: RetainedTopicCleanup
        private let counter: Counter
        var saves: Int { counter.value }

        init(
            served: [String: [String]] = ["v4l2mqtt/porch": ["door"], "v4l2mqtt/barn": ["door"]],
            cameras: [String] = ["door"], servesAll: Bool = false, obsolete: [String] = []
        ) {
            let documents = ScriptedDocuments(obsolete)
            let counter = Counter()
            (self.documents, self.counter) = (documents, counter)
            let settings = AgentSettings(
                agent: "barn", cameras: cameras.map { CameraSettings(id: $0) }, servesAll: servesAll)
            cleanup = RetainedTopicCleanup(
                MQTTFrontEnd(settings, to: bus), served: served, documents: documents, on: time.loop,
                topicsChanged: { counter.value += 1 })
            cleanup.start()
        }

        /// The topics that were emptied.
        var emptied: [String] { bus.messages.filter { $0.isRetained && $0.payload.isEmpty }.map(\.topic) }

        func connect() {
            cleanup.connected()
            cleanup.subscribed()
        }

        /// Another agent with the name `porch`.
        func receiveAgent(online: Bool, cameras: [String]?) {
            cleanup.receiveAgent("porch", online ? .online : .offline, cameras: cameras)
        }

        /// The availability of a camera, below the agent's own name or another one.
        func note(_ topic: String, _ payload: [UInt8]) {
            cleanup.subscriptions.last?.received(
                BusMessage(topic: topic, payload: payload, qos: .atLeastOnce, isRetained: true))
        }

        func advance(by duration: Duration) { time.advance(by: duration) }
    }

    private static let topics = Topics(base: "v4l2mqtt", agent: "porch")

    @Test func topicsOfAnEarlierNameAreEmptiedAndRemoved() {
        let bench = Bench()
        bench.connect()
        bench.advance(by: .milliseconds(5_290))
        #expect(bench.emptied.isEmpty)
        bench.advance(by: .milliseconds(20))
        #expect(bench.emptied == Self.topics.retained(ofCamera: "door") + Self.topics.retained)
        #expect(bench.bus.stopped == Set(bench.emptied))
        #expect(bench.cleanup.served == ["v4l2mqtt/barn": ["door"]] && bench.saves == 1)
        #expect(bench.documents.ends == 1)
        bench.connect()
        bench.advance(by: .seconds(20))
        #expect(bench.saves == 1, "it is done")
    }

    @Test func documentsAreRemovedBeforeTheStatesThatTheyReferTo() {
        let bench = Bench(obsolete: [Self.document])
        #expect(!bench.cleanup.areDocumentsSettled && !bench.cleanup.mayEcho)
        bench.connect()
        bench.advance(by: .milliseconds(310))
        #expect(bench.emptied == [Self.document] && bench.documents.removed == [Self.document])
        #expect(bench.cleanup.areDocumentsSettled && bench.cleanup.mayEcho)
        bench.advance(by: .milliseconds(4_980))
        #expect(bench.emptied == [Self.document])
        bench.advance(by: .milliseconds(20))
        #expect(bench.emptied.count > 10)
        bench.advance(by: .seconds(30))
        #expect(!bench.cleanup.mayEcho)
    }

    @Test func theNextStepWaitsForTheBroker() {
        let bench = Bench(obsolete: [Self.document])
        bench.connect()
        bench.bus.isDrained = false
        bench.advance(by: .seconds(20))
        #expect(bench.emptied == [Self.document] && !bench.cleanup.areDocumentsSettled)
        #expect(bench.documents.removed.isEmpty && bench.bus.stopped.isEmpty)
        bench.bus.isDrained = true
        bench.advance(by: .milliseconds(100))
        #expect(bench.cleanup.areDocumentsSettled && bench.documents.removed == [Self.document])
    }

    @Test func whatIsInterruptedStartsAgainWithTheNextConnection() {
        let bench = Bench(obsolete: [Self.document])
        bench.connect()
        bench.bus.isDrained = false
        bench.advance(by: .seconds(1))
        bench.cleanup.disconnected()
        // Otherwise the bus would empty the topic at the next connection, when another agent may have the
        // name.
        #expect(bench.bus.stopped == [Self.document])
        bench.bus.isDrained = true
        bench.advance(by: .seconds(20))
        #expect(bench.emptied == [Self.document] && bench.saves == 0)
        bench.connect()
        bench.advance(by: .seconds(6))
        #expect(bench.saves == 1 && bench.emptied.filter { $0 == Self.document }.count == 2)
    }

    @Test func anInterruptionInTheGracePeriodStartsAgain() {
        let bench = Bench()
        bench.connect()
        bench.advance(by: .seconds(3))
        bench.cleanup.disconnected()
        bench.advance(by: .seconds(20))
        #expect(bench.emptied.isEmpty)
        bench.connect()
        bench.receiveAgent(online: true, cameras: ["door"])
        bench.advance(by: .seconds(6))
        #expect(bench.emptied.isEmpty && bench.cleanup.served == ["v4l2mqtt/barn": ["door"]])
    }

    @Test func aNameThatAnotherAgentHasIsLeftToIt() {
        let bench = Bench()
        bench.connect()
        bench.receiveAgent(online: true, cameras: ["door"])
        bench.advance(by: .seconds(6))
        #expect(bench.emptied.isEmpty && bench.cleanup.served == ["v4l2mqtt/barn": ["door"]])
    }

    @Test func anAgentThatTakesTheNameDuringTheGracePeriodKeepsItsTopics() {
        let bench = Bench()
        bench.connect()
        bench.advance(by: .seconds(3))
        bench.receiveAgent(online: true, cameras: ["door"])
        bench.advance(by: .seconds(6))
        #expect(bench.emptied.isEmpty)
    }

    @Test func anAgentWithTheNameKeepsItsOwnCamerasOnly() {
        let bench = Bench()
        bench.connect()
        bench.receiveAgent(online: true, cameras: ["gate"])
        bench.advance(by: .seconds(6))
        #expect(bench.emptied == Self.topics.retained(ofCamera: "door"))
    }

    @Test func anAgentWhoseCamerasAreUnknownMayHaveThemAll() {
        let bench = Bench()
        bench.connect()
        bench.receiveAgent(online: true, cameras: nil)
        bench.advance(by: .seconds(6))
        #expect(bench.emptied.isEmpty)
    }

    @Test func anAgentThatIsOfflineLeavesItsTopicsToTheCleanUp() {
        let bench = Bench()
        bench.connect()
        bench.receiveAgent(online: false, cameras: ["door"])
        bench.advance(by: .seconds(6))
        #expect(bench.emptied == Self.topics.retained(ofCamera: "door") + Self.topics.retained)
    }

    @Test func aCameraThatWasTakenOutGoesAndTheOthersStay() {
        let bench = Bench(served: ["v4l2mqtt/barn": ["door", "gate"]], cameras: ["gate"])
        bench.connect()
        bench.advance(by: .seconds(6))
        #expect(bench.emptied == Topics(base: "v4l2mqtt", agent: "barn").retained(ofCamera: "door"))
        #expect(bench.cleanup.served == ["v4l2mqtt/barn": ["gate"]])
    }

    @Test func aCameraThatIsOnlyUnpluggedIsOffline() {
        let bench = Bench(
            served: ["v4l2mqtt/barn": ["camera", "logi", "uvc"]], cameras: ["logi"],
            servesAll: true)
        #expect(bench.bus.last(on: "v4l2mqtt/barn/uvc/availability")["reason"] == "not_found")
        bench.connect()
        bench.advance(by: .seconds(6))
        #expect(bench.emptied == Topics(base: "v4l2mqtt", agent: "barn").retained(ofCamera: "camera"))
        #expect(bench.cleanup.served == ["v4l2mqtt/barn": ["logi", "uvc"]])
    }

    @Test func withoutEarlierNamesNothingHappens() {
        let bench = Bench(served: ["v4l2mqtt/barn": ["door"]])
        bench.connect()
        bench.advance(by: .seconds(60))
        #expect(bench.bus.messages.isEmpty && bench.saves == 0 && bench.cleanup.areDocumentsSettled)
    }

    @Test(arguments: [(true, true), (false, false)])
    func aStopCompletesAStepThatTheBrokerHasReceived(isDrained: Bool, isDone: Bool) {
        let bench = Bench(obsolete: [Self.document])
        bench.bus.isDrained = false
        bench.connect()
        bench.advance(by: .milliseconds(310))
        bench.bus.isDrained = isDrained
        bench.cleanup.stop()
        #expect(bench.documents.removed == (isDone ? [Self.document] : []))
    }

    // MARK: Cameras below the name that the agent never served

    private static let online = JSON.bytes(Availability(.online))

    @Test func whatAnotherDeviceLeftBelowTheNameIsRemoved() {
        let bench = Bench(served: ["v4l2mqtt/barn": ["door"]])
        for _ in 1...2 {
            bench.connect()
            for camera in ["door", "gate"] {
                bench.note("v4l2mqtt/barn/\(camera)/availability", Self.online)
            }
            bench.cleanup.disconnected()
        }
        bench.connect()
        bench.note("v4l2mqtt/barn/gate/availability", Self.online)
        bench.advance(by: .milliseconds(310))
        #expect(bench.emptied == ["document of gate"] && bench.documents.removed == ["document of gate"])
        bench.advance(by: .seconds(5))
        #expect(
            bench.emptied.dropFirst()
                == Topics(base: "v4l2mqtt", agent: "barn").retained(ofCamera: "gate")[...])
        #expect(bench.cleanup.served == ["v4l2mqtt/barn": ["door"]])
    }

    @Test func noOtherCamerasAreStrangers() {
        let bench = Bench(
            served: ["v4l2mqtt/barn": ["logi", "uvc"]], cameras: ["logi"], servesAll: true)
        bench.connect()
        for camera in ["logi", "uvc"] {
            bench.note("v4l2mqtt/barn/\(camera)/availability", Self.online)
        }
        bench.note("v4l2mqtt/barn/gone/availability", [])
        for topic in ["v4l2mqtt/barn/a/b/availability", "v4l2mqtt/other/gate/availability"] {
            bench.note(topic, Self.online)
        }
        bench.advance(by: .seconds(60))
        #expect(bench.emptied.isEmpty)
    }

    @Test func earlierNamesAndTheCamerasBelowThePresentOneAreSubscribedTo() {
        let filters = Bench().cleanup.subscriptions.map(\.filter)
        #expect(filters.map(\.filter) == Self.topics.retained + ["v4l2mqtt/barn/+/availability"])
        #expect(filters.allSatisfy { $0.kind == .includingRetained })
    }
}

/// Documents of which some are obsolete until they are removed.
private final class ScriptedDocuments: RetainedDocuments {
    private var obsolete: [String]
    private(set) var removed: [String] = []
    private(set) var ends = 0

    init(_ obsolete: [String]) { self.obsolete = obsolete }

    func obsoleteTopics(_ names: EarlierNames) -> [String] { obsolete }

    func topics(ofCamera camera: String) -> [String] { ["document of \(camera)"] }

    func wereRemoved(_ topics: [String]) {
        removed += topics
        obsolete = []
    }

    func cleanUpEnded() { ends += 1 }
}

private final class Counter { var value = 0 }
