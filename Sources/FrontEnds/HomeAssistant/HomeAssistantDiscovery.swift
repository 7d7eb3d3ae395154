package import Base
internal import Bus
package import Contract
package import Core
package import Logging
internal import Settings

/// Publishes a discovery document for each camera, made of the states that the camera publishes, and removes
/// the documents of cameras that are gone.
///
/// Home Assistant publishes when it has started, and empties a document's topic when a user deletes the
/// device.
package final class HomeAssistantDiscovery {
    /// After Home Assistant has started, each agent waits for a random time and for its part of
    /// `mqtt.spread_s`, so that not all publish at once. Seconds.
    private static let republishDelay = 0.5...3.0

    let bus: any BusPublisher
    let topics: Topics
    private let loop: EventLoop
    private let logger: Logger
    private let settings: AgentSettings
    private let version: String
    /// Documents are published after the removal of old ones.
    private weak var cleanup: RetainedTopicCleanup?
    /// What this agent published at the broker and may still be there: the topics of documents, each with the
    /// components that it ever had. The state file is the only record of it.
    package private(set) var known: [String: [String]]
    /// The components of the document that was published last. Cameras of one model share them.
    private var lastComponents: [String] = []
    /// By camera.
    private var announcements: [String: DeviceAnnouncement] = [:]
    private let topicsChanged: () -> Void
    private lazy var republishTimer = loop.timer { [weak self] in self?.republishAll() }

    /// - Parameters:
    ///   - known: from the state file.
    ///   - topicsChanged: called when `known` has changed.
    package init(
        _ frontEnd: MQTTFrontEnd, version: String, known: [String: [String]], on loop: EventLoop,
        logger: Logger, topicsChanged: @escaping () -> Void
    ) {
        (bus, topics, settings) = (frontEnd.bus, frontEnd.topics, frontEnd.settings)
        (self.version, self.known, self.loop, self.logger) = (version, known, loop, logger)
        self.topicsChanged = topicsChanged
        guard settings.homeAssistant.isOn else { return }
        for camera in settings.cameras where camera.isDiscovered {
            announcements[camera.id] = DeviceAnnouncement(camera.id, of: self, on: loop)
        }
    }

    /// Makes documents publish, once the removal of old ones is settled.
    package func start(after cleanup: RetainedTopicCleanup) { self.cleanup = cleanup }

    var mayPublish: Bool { cleanup?.areDocumentsSettled ?? true }

    /// The topic of a camera's document.
    func topic(ofCamera camera: String) -> String {
        topics.discovery(of: camera, below: settings.homeAssistant.prefix)
    }

    private func identity(ofCamera camera: String) -> HomeAssistantIdentity {
        HomeAssistantIdentity(
            base: settings.mqtt.baseTopic, agent: settings.agent, camera: camera,
            isNamed: !settings.servesAll, title: settings.cameras.first { $0.id == camera }?.name)
    }

    /// The subscriptions to the topics where Home Assistant publishes that it has started, which by default
    /// are not below the discovery prefix, and to those of the documents, which it empties.
    package var subscriptions: [Subscription] {
        guard settings.homeAssistant.isOn else { return [] }
        let starts = Set(["homeassistant/status", "\(settings.homeAssistant.prefix)/status"]).sorted()
        let documents = settings.cameras.compactMap { announcements[$0.id] }
        return starts.map { topic in
            subscription(to: topic) {
                if $0.payload.elementsEqual("online".utf8) { $1.scheduleRepublishing() }
            }
        }
            + documents.map { announcement in
                // On MQTT 3.1.1 the agent's own documents come back, too: they are never empty.
                subscription(to: announcement.topic) {
                    if $0.payload.isEmpty { $1.wasEmptied(announcement) }
                }
            }
    }

    private func subscription(
        to topic: String, received: @escaping (BusMessage, HomeAssistantDiscovery) -> Void
    ) -> Subscription {
        Subscription(
            filter: BusFilter(topic, .newOnly), ifRefused: "messages of Home Assistant aren't received"
        ) { [weak self] in if let self { received($0, self) } }
    }

    private func wasEmptied(_ announcement: DeviceAnnouncement) {
        guard announcement.wasDeleted(mayBeEcho: cleanup?.mayEcho ?? false) else { return }
        logger.notice(
            "\(announcement.camera): deleted in Home Assistant; it comes back when Home Assistant or the agent starts"
        )
    }

    /// A camera as its states describe it; nil: they don't yet.
    func device(
        _ camera: String, _ info: CameraInfo?, _ disabledControls: Set<String>, _ presets: [String]
    ) -> DiscoveredDevice? {
        guard let info else { return nil }
        return DiscoveredDevice(
            identity: identity(ofCamera: camera), topics: topics, camera: camera,
            client: settings.homeAssistant.client, isProved: settings.clients.mode == .proved,
            version: version, info: info, disabledControls: disabledControls, presets: presets)
    }

    /// Publishes a document, with empty components for those that it had before.
    func publish(_ device: DiscoveredDevice, _ topic: String) {
        let before = known[topic]
        var now = Set(before ?? []).union(device.components).sorted()
        if now == lastComponents { now = lastComponents }
        lastComponents = now
        if now != before {
            known[topic] = now
            topicsChanged()
        }
        bus.retain(topic) { [now] in JSON.bytes(JSON.object(device.document(known: now))) }
    }

    private func scheduleRepublishing() {
        let delay = Double.random(in: Self.republishDelay)
        if republishTimer.isSet { return }
        republishTimer.set(after: .seconds(delay) + Spread.wait(settings.mqtt))
    }

    private func republishAll() {
        logger.info("Home Assistant has started: publishing everything again")
        bus.republish()
        for announcement in announcements.values { announcement.homeAssistantStarted() }
    }
}

extension HomeAssistantDiscovery: PublicationObserver {
    package func published(_ state: some FieldValue, on channel: Channel, of camera: String) {
        announcements[camera]?.published(state, on: channel)
    }

    package func publishedPhoto(_ photo: [UInt8], _ fields: PhotoFields, of camera: String) {
        // A photo that the broker retains needn't be published again.
        if !settings.captures.retainsImage { announcements[camera]?.photo = (photo, fields) }
    }

    package func withdrewPictures(of camera: String) { announcements[camera]?.photo = nil }
}

extension HomeAssistantDiscovery: RetainedDocuments {
    package func obsoleteTopics(_ names: EarlierNames) -> [String] {
        known.keys.filter { !isServed($0) && !isUnplugged($0) && !isOfAnotherAgent($0, names) }.sorted()
    }

    package func topics(ofCamera camera: String) -> [String] {
        settings.homeAssistant.isOn ? [topic(ofCamera: camera)] : []
    }

    private func isServed(_ topic: String) -> Bool {
        announcements.values.contains { $0.topic == topic }
    }

    /// Whether a document describes a camera under the present name that isn't plugged in: it wasn't removed
    /// from the configuration.
    private func isUnplugged(_ topic: String) -> Bool {
        guard settings.homeAssistant.isOn, let placeholderCamera = settings.placeholderCamera,
            let camera = topics.camera(ofDiscovery: topic), camera != placeholderCamera
        else { return false }
        return topic == self.topic(ofCamera: camera)
    }

    /// Whether another agent now uses the name under which this one published a document, and serves a
    /// camera of that name.
    private func isOfAnotherAgent(_ topic: String, _ names: EarlierNames) -> Bool {
        names.earlierRoots.contains { root in
            guard let camera = Topics(root: root)?.camera(ofDiscovery: topic) else { return false }
            return !names.isUnserved(camera, below: root)
        }
    }

    package func wereRemoved(_ topics: [String]) {
        guard !topics.isEmpty else { return }
        for topic in topics { known[topic] = nil }
        topicsChanged()
    }

    package func cleanUpEnded() {
        known = known.filter { isServed($0.key) || isUnplugged($0.key) }
    }
}
