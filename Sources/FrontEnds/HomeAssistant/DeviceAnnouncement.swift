internal import Base
internal import Bus
internal import Contract
internal import Core
internal import Settings

/// The discovery document of one camera.
final class DeviceAnnouncement {
    /// A document isn't published while it may still change: of two documents in quick succession, Home
    /// Assistant may lose most of the second.
    private static let quietPeriod = Duration.seconds(1)

    let camera: String
    /// Where the document is published.
    let topic: String
    private weak var discovery: HomeAssistantDiscovery?
    private let loop: EventLoop

    private var document = Document.absent
    private var info: CameraInfo?
    /// Whether the camera is private, so that all of its controls are disabled.
    private var isPrivate = false
    /// The controls that were disabled for another reason.
    private var disabledControls: Set<String> = []
    private var presets: [String] = []
    /// The last photo, if the broker doesn't retain it.
    var photo: (jpeg: [UInt8], fields: PhotoFields)?
    private lazy var documentTimer = loop.timer { [weak self] in self?.publishIfChanged() }
    private lazy var statesTimer = loop.timer { [weak self] in self?.republishStates() }

    /// The document at the broker.
    private enum Document {
        case absent
        case published(DiscoveredDevice)
        /// A user deleted the device in Home Assistant: nothing is published.
        case deleted
    }

    init(_ camera: String, of discovery: HomeAssistantDiscovery, on loop: EventLoop) {
        (self.camera, self.discovery, self.loop) = (camera, discovery, loop)
        topic = discovery.topic(ofCamera: camera)
    }

    /// The camera has published a state.
    func published(_ state: some FieldValue, on channel: Channel) {
        switch channel {
        case .readOnly(.availability):
            let availability = state as? Availability
            isPrivate = availability?.state == .online && availability?.reason != nil
            return
        case .readOnly(.info): info = state as? CameraInfo
        case .node(.presets):
            let names = (state as? PresetsState)?.presets.keys.sorted() ?? []
            if names == presets { return }
            presets = names
        default: return
        }
        documentTimer.set(after: Self.quietPeriod)
    }

    private func publishIfChanged() {
        noteDisabledControls()
        guard let discovery, let device = discovery.device(camera, info, disabledControls, presets) else {
            return
        }
        switch document {
        case .deleted: return
        case .published(let before) where before.document() == device.document(): return
        case .absent, .published: break
        }
        guard discovery.mayPublish else { return documentTimer.set(after: Self.quietPeriod) }
        // Home Assistant drops states that the document before didn't allow, such as a new preset. They are
        // published again later.
        if case .published = document { statesTimer.set(after: Self.quietPeriod) }
        document = .published(device)
        discovery.publish(device, topic)
    }

    /// A control that was disabled once keeps an availability of its own, so that the document doesn't change
    /// each time.
    private func noteDisabledControls() {
        guard let info, !isPrivate else { return }
        for control in info.controls where !control.enabled { disabledControls.insert(control.name) }
    }

    private func republishStates() {
        guard let discovery else { return }
        discovery.bus.republish(Set(discovery.topics.retained(ofCamera: camera)))
    }

    /// The document isn't at the broker: it is published again.
    private func publishAgain() {
        document = .absent
        documentTimer.set(after: Self.quietPeriod)
    }

    /// Home Assistant has started. It knows only what the broker retains.
    func homeAssistantStarted() {
        if case .deleted = document { publishAgain() }
        if let photo, let discovery {
            let image = discovery.topics.image(camera: camera)
            discovery.bus.publishQueued(
                image, photo.jpeg, qos: .atLeastOnce,
                BusProperties(contentType: "image/jpeg", user: photo.fields.properties), group: image)
        }
    }

    /// The topic was emptied: a user deleted the device or one of its entities in Home Assistant. The
    /// document stays away until Home Assistant or the agent starts again: discovery has to be switched off
    /// to remove it for good.
    ///
    /// - Parameter mayBeEcho: whether it may be a consequence of the removal of another document.
    /// - Returns: whether this was news.
    func wasDeleted(mayBeEcho: Bool) -> Bool {
        if case .deleted = document { return false }
        if mayBeEcho {
            publishAgain()
            return false
        }
        discovery?.bus.stopRetaining([topic])
        document = .deleted
        return true
    }
}
