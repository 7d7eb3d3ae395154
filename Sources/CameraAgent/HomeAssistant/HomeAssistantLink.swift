internal import HomeAssistant
internal import Logging
internal import LoopThread
internal import MQTTBus
internal import Messages

/// What an agent has to do with Home Assistant: tells it of each camera, and takes back what an earlier run told of others.
///
/// Home Assistant itself says when it has started, and when somebody has deleted a device.
final class HomeAssistantLink {
    /// After Home Assistant has come, all agents of a house speak: each at a time of its own.
    private static let greetingDelay = 0.5...3.0

    private unowned let agent: Agent
    private let settings: HomeAssistantSettings
    /// What the broker may still have of this agent: the topics of devices, each with the components that it ever had. It is kept in
    /// the state file, as nobody else knows: the broker may forget, and Home Assistant doesn't tell.
    private(set) var known: [String: [String]]
    /// The cameras by the topics of their devices.
    private var cameras: [String: Camera] = [:]
    private lazy var greeting = agent.loop.timer { [weak self] in self?.greet() }

    init(_ agent: Agent, known: [String: [String]]) {
        (self.agent, self.known) = (agent, known)
        settings = agent.settings.homeAssistant
    }

    /// What to subscribe to.
    static func filters(_ settings: AgentSettings) -> [BusFilter] {
        guard settings.homeAssistant.isOn else { return [] }
        let prefix = settings.homeAssistant.prefix
        let topics = settings.cameras.filter(\.isDiscovered).map {
            settings.identity(ofCamera: $0.id).topic(below: prefix)
        }
        return (statusTopics(below: prefix) + topics).map { BusFilter($0, .newOnly) }
    }

    /// Where Home Assistant says that it has started: it doesn't go with the prefix, unless somebody has it so.
    private static func statusTopics(below prefix: String) -> [String] {
        Set(["homeassistant/status", "\(prefix)/status"]).sorted()
    }

    func start() {
        if settings.isOn {
            for camera in agent.cameras.values where camera.settings.isDiscovered {
                cameras[topic(of: camera)] = camera
            }
        }
    }

    /// Documents of devices that this agent doesn't serve, and nobody else under the name that it had.
    var documentsToTakeBack: [String] {
        known.keys.filter { cameras[$0] == nil && !isOnlyAbsent($0) && !isSomebodyElses($0) }.sorted()
    }

    /// Whether a topic is one of this agent's under its present name, whose camera isn't plugged in: nobody has taken it out of a configuration.
    private func isOnlyAbsent(_ topic: String) -> Bool {
        guard settings.isOn, let standIn = agent.settings.standIn,
            let camera = Identity.camera(
                of: topic, agent: agent.settings.agent, base: agent.settings.baseTopic),
            camera != standIn
        else { return false }
        return topic == agent.settings.identity(ofCamera: camera).topic(below: settings.prefix)
    }

    /// Whether another agent bears the name by now under which this one said a topic, and has a camera of that name, too.
    private func isSomebodyElses(_ topic: String) -> Bool {
        agent.leftovers.served.keys.contains { root in
            guard root != agent.topics.root, let earlier = Topics(root: root),
                let camera = Identity.camera(of: topic, agent: earlier.agent, base: earlier.base)
            else { return false }
            return !agent.leftovers.isNobodys(camera, below: root)
        }
    }

    /// These have been taken back.
    func forget(_ topics: [String]) {
        guard !topics.isEmpty else { return }
        for topic in topics { known[topic] = nil }
        agent.saveSoon()
    }

    /// Those that weren't taken back are others' for good.
    func forgetOthers() {
        known = known.filter { cameras[$0.key] != nil || isOnlyAbsent($0.key) }
    }

    // MARK: Devices

    func topic(of camera: Camera) -> String {
        agent.settings.identity(ofCamera: camera.id).topic(below: settings.prefix)
    }

    /// Says what a camera is; what it was before is known.
    func tell(_ device: DiscoveredDevice, of camera: Camera) {
        let topic = topic(of: camera)
        let before = known[topic]
        let now = Set(before ?? []).union(device.components).sorted()
        if now != before {
            known[topic] = now
            agent.saveSoon()
        }
        agent.bus.retain(topic, JSON.bytes(DiscoveryDocument(device, known: now)))
    }

    // MARK: Home Assistant's own words

    /// Takes a message, if it is one of Home Assistant's.
    func received(_ message: BusMessage) -> Bool {
        guard settings.isOn else { return false }
        if Self.statusTopics(below: settings.prefix).contains(message.topic) {
            if message.payload.elementsEqual("online".utf8) { hasCome() }
            return true
        }
        guard let camera = cameras[message.topic] else { return false }
        // On MQTT 3.1.1 our own words come back, too: they are never empty.
        if message.payload.isEmpty { deleted(camera) }
        return true
    }

    private func hasCome() {
        let delay = Double.random(in: Self.greetingDelay)
        if !greeting.isSet { greeting.set(after: .seconds(delay)) }
    }

    private func greet() {
        agent.logger.info("Home Assistant is there: telling it everything again")
        agent.bus.republish()
        for camera in cameras.values { camera.homeAssistant.greet() }
    }

    /// Somebody has deleted the device, or one of its entities: for both, Home Assistant empties the topic. It stays so until Home Assistant or the
    /// agent starts anew: who wants to be rid of it for good switches discovery off, and who deleted one entity wants the others back.
    private func deleted(_ camera: Camera) {
        if agent.leftovers.mayEcho { return camera.homeAssistant.sayAnew() }
        guard !camera.homeAssistant.isDeleted else { return }
        agent.logger.notice(
            "\(camera.id): deleted in Home Assistant; it comes back when Home Assistant or the agent starts")
        agent.bus.stopRetaining([topic(of: camera)])
        camera.homeAssistant.isDeleted = true
    }
}

extension AgentSettings {
    func identity(ofCamera camera: String) -> Identity {
        Identity(base: baseTopic, agent: agent, camera: camera, isNamed: standIn == nil)
    }
}
