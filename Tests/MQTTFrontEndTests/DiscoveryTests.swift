import Base
import Core
import Logging
import TestSupport
import Testing

@testable import Bus
@testable import Cameras
@testable import Contract
@testable import FrontEnds
@testable import Settings

/// When Home Assistant's documents are published, published again and removed. `HomeAssistantTests` has what
/// they contain.
struct DiscoveryTests {
    private static let document = "homeassistant/device/v4l2mqtt_door_AT_porch/config"

    /// An agent `porch` with the camera `door`, connected to Home Assistant.
    private final class Bench {
        private let time = VirtualTime()
        let bus = CollectingBus()
        let discovery: HomeAssistantDiscovery
        let cleanup: RetainedTopicCleanup
        let camera: Camera
        let device: ScriptedCamera

        init(
            known: [String: [String]] = [:], served: [String: [String]] = ["v4l2mqtt/porch": ["door"]],
            isOn: Bool = true, retainsImage: Bool = false, spread: Int = 0
        ) {
            let loop = time.loop
            let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
            let settings = AgentSettings(
                agent: "porch", mqtt: MQTTSettings(spread: spread),
                captures: CaptureSettings(retainsImage: retainsImage),
                homeAssistant: HomeAssistantSettings(isOn: isOn), cameras: [CameraSettings(id: "door")])
            let mqtt = MQTTFrontEnd(settings, to: bus)
            discovery = HomeAssistantDiscovery(
                mqtt, version: "1", known: known, on: loop, logger: logger, topicsChanged: {})
            cleanup = RetainedTopicCleanup(
                mqtt, served: served, documents: discovery, on: loop, topicsChanged: {})
            let source = ScriptedSource()
            camera = Camera(
                settings.cameras[0], of: settings, boot: 1, source: source,
                media: ScriptedMedia(on: loop).services, frontEnd: mqtt,
                observer: IgnoringObserver(), storage: CollectingStorage(SavedCamera()),
                saved: SavedCamera(), on: loop, logger: logger, wallClock: ManualWallClock(on: loop))
            device = ScriptedCamera(on: loop)
            mqtt.observer = discovery
            discovery.start(after: cleanup)
            cleanup.start()
            camera.start()
            source.attach(device)
        }

        var documents: [JSONValue] { bus.messages(on: DiscoveryTests.document).map(\.json) }

        /// Returns whether the topic is subscribed to.
        @discardableResult
        func receive(_ topic: String, _ payload: String) -> Bool {
            let subscription = discovery.subscriptions.first { $0.filter.filter == topic }
            subscription?.received(
                BusMessage(
                    topic: topic, payload: [UInt8](payload.utf8), qos: .atLeastOnce, isRetained: false))
            return subscription != nil
        }

        func send(_ node: Node, _ json: String) {
            let command = Command(for: node, payload: [UInt8](json.utf8))
            camera.handle(
                Request(
                    camera: "door", node: node, envelope: command.envelope, command: try? command.body.get(),
                    address: CollectingReplyAddress(node, camera: "door")))
        }

        func advance(by duration: Duration) { time.advance(by: duration) }
    }

    @Test func aDocumentIsPublishedWhenTheCameraIsQuiet() {
        let bench = Bench()
        bench.advance(by: .milliseconds(900))
        bench.send(.presets, #"{"save": "gate"}"#)
        bench.advance(by: .milliseconds(900))
        #expect(bench.documents.isEmpty)
        bench.advance(by: .milliseconds(200))
        #expect(bench.documents.count == 1 && bench.documents[0] != .null)
        #expect(bench.bus.messages(on: Self.document)[0].isRetained)
        #expect(bench.discovery.known[Self.document]?.isEmpty == false)
        bench.advance(by: .seconds(60))
        #expect(bench.documents.count == 1 && bench.bus.republished.isEmpty)
    }

    @Test func aChangedDocumentIsFollowedByTheStates() {
        let bench = Bench()
        bench.advance(by: .seconds(2))
        bench.send(.presets, #"{"save": "gate"}"#)
        bench.advance(by: .milliseconds(1_100))
        #expect(bench.documents.count == 2 && bench.bus.republished.isEmpty)
        bench.advance(by: .seconds(1))
        #expect(bench.bus.republished.count == 1)
        #expect(bench.bus.republished.first??.contains("v4l2mqtt/porch/door/presets") == true)
    }

    @Test func whenHomeAssistantHasStartedAllIsPublishedAgain() {
        let bench = Bench()
        bench.advance(by: .seconds(2))
        for _ in 0..<3 { #expect(bench.receive("homeassistant/status", "online")) }
        #expect(bench.receive("homeassistant/status", "offline"))
        #expect(bench.bus.republished.isEmpty)
        bench.advance(by: .seconds(3))
        #expect(bench.bus.republished == [nil])
    }

    @Test func eachAgentOfAFleetWaitsForItsPartOfTheSpread() {
        let bench = Bench(spread: 3_600)
        let wait = Spread.wait(seconds: 3_600, of: MQTTSettings().clientID)
        bench.advance(by: .seconds(2))
        #expect(bench.receive("homeassistant/status", "online"))
        bench.advance(by: wait)
        #expect(bench.bus.republished.isEmpty)
        bench.advance(by: .seconds(3))
        #expect(bench.bus.republished == [nil])
    }

    @Test(arguments: [true, false]) func thePhotoIsPublishedAgainUnlessTheBrokerHasIt(isRetained: Bool) {
        let bench = Bench(retainsImage: isRetained)
        bench.send(.capture, "{}")
        bench.advance(by: .seconds(2))
        bench.receive("homeassistant/status", "online")
        bench.advance(by: .seconds(3))
        #expect(bench.bus.messages(on: "v4l2mqtt/porch/door/image").count == (isRetained ? 1 : 2))
    }

    @Test func thePhotoOfAPrivateCameraIsNotPublishedAgain() {
        let bench = Bench(retainsImage: false)
        bench.send(.capture, "{}")
        bench.advance(by: .seconds(2))
        bench.send(.privacy, "ON")
        bench.receive("homeassistant/status", "online")
        bench.advance(by: .seconds(4))
        #expect(bench.bus.messages(on: "v4l2mqtt/porch/door/image").last?.payload == [])
    }

    @Test func aDeviceThatAUserDeletedStaysAwayUntilHomeAssistantStarts() {
        let bench = Bench()
        bench.advance(by: .seconds(2))
        #expect(bench.receive(Self.document, ""))
        #expect(bench.bus.stopped == [Self.document])
        bench.send(.presets, #"{"save": "gate"}"#)
        bench.advance(by: .seconds(60))
        #expect(bench.documents.count == 1)
        bench.receive("homeassistant/status", "online")
        bench.advance(by: .seconds(5))
        #expect(bench.documents.count == 2)
    }

    @Test func theAgentsOwnDocumentIsNoDeletion() {
        let bench = Bench()
        bench.advance(by: .seconds(2))
        #expect(bench.receive(Self.document, "{}") && bench.bus.stopped.isEmpty)
        #expect(!bench.receive("homeassistant/device/other/config", ""))
    }

    /// While the camera is private, all are disabled.
    @Test func aPrivateCameraDoesNotChangeItsDocument() {
        let bench = Bench()
        bench.advance(by: .seconds(2))
        bench.send(.privacy, "ON")
        bench.advance(by: .seconds(5))
        bench.send(.privacy, "OFF")
        bench.advance(by: .seconds(5))
        #expect(bench.documents.count == 1)
    }

    // MARK: Old documents

    private static let old = "homeassistant/device/v4l2mqtt_door_AT_barn/config"

    @Test func theDocumentOfAnEarlierNameGoesBeforeTheNewOneComes() {
        let bench = Bench(known: [Self.old: ["a"]], served: ["v4l2mqtt/barn": ["door"]])
        bench.advance(by: .seconds(10))
        #expect(bench.documents.isEmpty, "there is no connection yet")
        bench.cleanup.connected()
        bench.cleanup.subscribed()
        bench.advance(by: .milliseconds(310))
        #expect(bench.bus.messages(on: Self.old).map(\.payload) == [[]])
        #expect(bench.discovery.known[Self.old] == nil)
        bench.advance(by: .seconds(2))
        #expect(bench.documents.count == 1)
    }

    @Test func whatHomeAssistantEmptiesBecauseOfARemovalIsPublishedAgain() {
        let bench = Bench(known: [Self.old: ["a"]], served: ["v4l2mqtt/barn": ["door"]])
        bench.cleanup.connected()
        bench.cleanup.subscribed()
        bench.advance(by: .seconds(3))
        #expect(bench.documents.count == 1)
        #expect(bench.receive(Self.document, "") && bench.bus.stopped.contains(Self.document) == false)
        bench.advance(by: .seconds(3))
        #expect(bench.documents.count == 2)
    }

    @Test(arguments: [true, false])
    func theDocumentOfANameThatAnotherAgentHasIsLeftToIt(isServed: Bool) {
        let bench = Bench(known: [Self.old: ["a"]], served: ["v4l2mqtt/barn": ["door"]])
        bench.cleanup.connected()
        bench.cleanup.subscribed()
        bench.cleanup.receiveAgent("barn", .online, cameras: [isServed ? "door" : "gate"])
        bench.advance(by: .seconds(10))
        #expect(bench.bus.messages(on: Self.old).isEmpty == isServed)
        #expect(bench.discovery.known.keys.sorted() == [Self.document], "either way it isn't known any more")
    }

    @Test func discoveryThatIsSwitchedOffRemovesItsDocuments() {
        let bench = Bench(known: [Self.document: ["a"]], isOn: false)
        #expect(!bench.receive("homeassistant/status", "online"))
        bench.cleanup.connected()
        bench.cleanup.subscribed()
        bench.advance(by: .seconds(10))
        #expect(bench.bus.messages(on: Self.document).map(\.payload) == [[]])
        #expect(bench.discovery.known.isEmpty)
    }
}

/// The agent's part: nothing is saved.
final class IgnoringObserver: CameraObserver {
    func stateChanged(of camera: String) {}
    func observe(_ change: CameraChange, in camera: String) {}
}
