import Base
import Core
import TestSupport

@testable import Bus
@testable import Cameras
@testable import Contract
@testable import FrontEnds
@testable import Settings

/// Cameras, a front end and a router in virtual time, with a bus that keeps what is published.
final class AgentBench {
    private let time = VirtualTime()
    let bus = CollectingBus()
    let log = CollectedLog()
    let frontEnd: MQTTFrontEnd
    let media: ScriptedMedia
    let cameras: [String: Camera]
    let sources: [String: ScriptedSource]
    let router: CommandRouter
    /// The messages on ``otherTopic``, which is neither for commands nor for a button.
    var otherMessages: [BusMessage] { others.messages }
    static let otherTopic = "home/status"
    private let others = MessageList()
    /// Those that only a subscription with a wildcard takes.
    var wildcardMessages: [BusMessage] { wildcards.messages }
    private let wildcards = MessageList()

    /// - Parameter isAttached: whether each camera has a device.
    init(
        _ settings: [CameraSettings] = [CameraSettings(id: "door")], limits: LimitSettings = LimitSettings(),
        captures: CaptureSettings = CaptureSettings(), clients: ClientSettings = ClientSettings(),
        responseTopics: [String] = MQTTSettings().responseTopics,
        protocolVersion: MQTTVersion = .v5, spread: Int = 0, isAttached: Bool = true
    ) {
        let loop = time.loop
        let media = ScriptedMedia(on: loop)
        var agent = AgentSettings(
            agent: "porch", clients: clients, captures: captures, limits: limits, cameras: settings)
        (agent.mqtt.responseTopics, agent.mqtt.protocolVersion) = (responseTopics, protocolVersion)
        agent.mqtt.spread = spread
        let frontEnd = MQTTFrontEnd(agent, to: bus)
        (self.media, self.frontEnd) = (media, frontEnd)
        let logger = log.logger
        var sources: [String: ScriptedSource] = [:]
        var cameras: [String: Camera] = [:]
        for camera in settings {
            let source = ScriptedSource()
            sources[camera.id] = source
            cameras[camera.id] = Camera(
                camera, of: agent, boot: 1, source: source,
                media: media.services, frontEnd: frontEnd, observer: IgnoringObserver(),
                storage: CollectingStorage(SavedCamera()),
                saved: SavedCamera(), on: loop, logger: logger, wallClock: ManualWallClock(on: loop))
        }
        (self.sources, self.cameras) = (sources, cameras)
        router = CommandRouter(
            frontEnd, cameras: cameras, boot: 1,
            subscriptions: [
                Subscription(filter: BusFilter(Self.otherTopic, .newOnly), ifRefused: "") { [others] in
                    others.messages.append($0)
                },
                Subscription(filter: BusFilter("home/+", .newOnly), ifRefused: "") { [wildcards] in
                    wildcards.messages.append($0)
                },
            ], on: loop, logger: logger)
        for camera in settings {
            cameras[camera.id]?.start()
            if isAttached { attach(camera.id) }
        }
    }

    func attach(_ camera: String) {
        let device = ScriptedCamera(description: .scripted(opticalMax: 4), on: loop)
        device.frameInterval = .seconds(1) / 30
        sources[camera]?.attach(device)
    }

    /// Delivers a message as the broker does, and returns what was published because of it.
    @discardableResult
    func deliver(
        _ topic: String, _ payload: String = "", qos: QualityOfService = .atLeastOnce,
        isRetained: Bool = false, responseTopic: String? = nil, correlation: [UInt8]? = nil
    ) -> [CollectingBus.Message] {
        let count = bus.messages.count
        router.received(
            BusMessage(
                topic: topic, payload: [UInt8](payload.utf8), qos: qos, isRetained: isRetained,
                responseTopic: responseTopic, correlation: correlation))
        return Array(bus.messages[count...])
    }

    /// Delivers a message, and returns the answers to it.
    @discardableResult
    func answers(
        to topic: String, _ payload: String = "", qos: QualityOfService = .atLeastOnce,
        isRetained: Bool = false, responseTopic: String? = nil
    ) -> [JSONValue] {
        deliver(topic, payload, qos: qos, isRetained: isRetained, responseTopic: responseTopic)
            .filter {
                $0.topic == responseTopic || $0.topic.hasSuffix("/reply") || $0.topic.hasPrefix("replies/")
            }.map(\.json)
    }

    /// Lets time pass, from timer to timer.
    func advance(by duration: Duration) { time.advance(by: duration) }

    var clock: ManualClock { time.clock }
    var loop: EventLoop { time.loop }

    /// The last state of a node.
    func state(_ node: Node, of camera: String = "door") -> JSONValue {
        bus.last(on: "v4l2mqtt/porch/\(camera)/\(node.name)")
    }
}

private final class MessageList {
    var messages: [BusMessage] = []
}
