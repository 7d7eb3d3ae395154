internal import Base
internal import Bus
internal import Contract
internal import Settings

/// The discovery document of one camera.
final class DeviceAnnouncement {
    /// A document isn't published while it may still change: of two documents in quick succession, Home
    /// Assistant may lose most of the second.
    private static let quietPeriod = Duration.seconds(1)

    let camera: String
    /// Where the document is published.
    let topic: String
    private let settings: AgentSettings
    private let topics: Topics
    private let version: String
    private let bus: any BusPublisher
    private let loop: EventLoop
    /// Whether documents may be published already: those of earlier names are removed first.
    var mayPublish: () -> Bool = { true }
    /// Whether an emptied topic may be a consequence of such a removal.
    var mayBeEcho: () -> Bool = { false }
    /// Publishes a document.
    var publish: (DiscoveredDevice, _ topic: String) -> Void = { _, _ in }

    private var content = Content()
    private var document = Document.absent
    private lazy var documentTimer = loop.timer { [weak self] in self?.publishIfChanged() }
    private lazy var statesTimer = loop.timer { [weak self] in self?.republishStates() }

    /// The document at the broker.
    private enum Document {
        case absent
        case published(DiscoveredDevice)
        /// A user deleted the device in Home Assistant: nothing is published.
        case deleted
    }

    /// What the document is made of, and the last photo, which the broker doesn't retain.
    private struct Content {
        var info: CameraInfo?
        /// Whether the camera is private, so that all of its controls are disabled.
        var isPrivate = false
        /// The controls that were disabled for another reason.
        var disabledControls: Set<String> = []
        var presets: [String] = []
        var photo: (jpeg: [UInt8], fields: PhotoFields)?
    }

    init(
        _ camera: String, settings: AgentSettings, topics: Topics, version: String, bus: any BusPublisher,
        on loop: EventLoop
    ) {
        (self.camera, self.settings, self.topics) = (camera, settings, topics)
        (self.version, self.bus, self.loop) = (version, bus, loop)
        topic = settings.identity(ofCamera: camera).topic(below: settings.homeAssistant.prefix)
    }

    func update(_ info: CameraInfo) {
        content.info = info
        documentTimer.set(after: Self.quietPeriod)
    }

    func update(_ availability: Availability) {
        content.isPrivate = availability.state == .online && availability.reason != nil
    }

    func update(presets: [String]) {
        guard presets != content.presets else { return }
        content.presets = presets
        documentTimer.set(after: Self.quietPeriod)
    }

    func update(photo: [UInt8], _ fields: PhotoFields) { content.photo = (photo, fields) }

    func forgetPhoto() { content.photo = nil }

    private func publishIfChanged() {
        noteDisabledControls()
        guard let device else { return }
        switch document {
        case .deleted: return
        case .published(let before) where DiscoveryDocument(before) == DiscoveryDocument(device): return
        case .absent, .published: break
        }
        guard mayPublish() else { return documentTimer.set(after: Self.quietPeriod) }
        // Home Assistant drops states that the document before didn't allow, such as a new preset. They are
        // published again later.
        if case .published = document { statesTimer.set(after: Self.quietPeriod) }
        document = .published(device)
        publish(device, topic)
    }

    /// A control that was disabled once keeps an availability of its own, so that the document doesn't change
    /// each time.
    private func noteDisabledControls() {
        guard let info = content.info, !content.isPrivate else { return }
        for control in info.controls where !control.enabled { content.disabledControls.insert(control.name) }
    }

    private func republishStates() { bus.republish(Set(topics.retained(ofCamera: camera))) }

    /// The document isn't at the broker: it is published again.
    private func publishAgain() {
        document = .absent
        documentTimer.set(after: Self.quietPeriod)
    }

    /// Home Assistant has started. It knows only what the broker retains.
    func homeAssistantStarted() {
        if case .deleted = document { publishAgain() }
        if let photo = content.photo {
            let image = topics.image(camera: camera)
            bus.publishQueued(
                image, photo.jpeg, qos: .atLeastOnce,
                BusProperties(contentType: "image/jpeg", user: photo.fields.properties), group: image)
        }
    }

    /// The topic was emptied: a user deleted the device or one of its entities in Home Assistant. The
    /// document stays away until Home Assistant or the agent starts again: discovery has to be switched off
    /// to remove it for good.
    ///
    /// - Returns: whether this was news.
    func wasDeleted() -> Bool {
        if case .deleted = document { return false }
        if mayBeEcho() {
            publishAgain()
            return false
        }
        bus.stopRetaining([topic])
        document = .deleted
        return true
    }

    private var device: DiscoveredDevice? {
        guard let info = content.info else { return nil }
        let client = settings.homeAssistant.client
        return DiscoveredDevice(
            identity: settings.identity(ofCamera: camera),
            topics: CameraTopics(
                agent: topics.root, camera: "\(topics.root)/\(camera)",
                client: settings.clients.mode == .proved ? client : nil),
            client: client, version: version, info: info, disabledControls: content.disabledControls,
            presets: content.presets)
    }
}
