package import HomeAssistant
internal import LoopThread
internal import MQTTBus
package import Messages

/// What one camera is to Home Assistant.
final class HomeAssistantNode {
    /// A document isn't said while it may still change: of two in quick succession, Home Assistant may lose most of the second.
    private static let settling = Duration.seconds(1)

    private unowned let camera: Camera
    /// Somebody doesn't want it there.
    var isDeleted = false
    private var said: DiscoveredDevice?
    private var lastPhoto: (jpeg: [UInt8], properties: BusProperties)?
    private lazy var echo = camera.agent.loop.timer { [weak self] in self?.sayStatesAgain() }
    private lazy var settled = camera.agent.loop.timer { [weak self] in self?.tell() }

    init(_ camera: Camera) { self.camera = camera }

    private var agent: Agent { camera.agent }
    private var isOn: Bool { agent.settings.homeAssistant.isOn && camera.settings.isDiscovered }

    /// What the camera is, or what it can do, may be something else than before.
    func changed() {
        if isOn { settled.set(after: Self.settling) }
    }

    private func tell() {
        guard !isDeleted, let device, device != said else { return }
        guard agent.leftovers.areDocumentsSettled else { return settled.set(after: Self.settling) }
        // What was said before the document allowed it (a new preset that is in view) has been dropped: it is said again once that is known.
        if said != nil { echo.set(after: Self.settling) }
        said = device
        agent.link.tell(device, of: camera)
    }

    private func sayStatesAgain() {
        agent.bus.republish(Set(agent.topics.retained(ofCamera: camera.id)))
    }

    /// The broker has lost what was said, and nobody wanted that: it is said once it is quiet.
    func sayAnew() {
        said = nil
        changed()
    }

    /// Home Assistant has started; it knows what the broker keeps, and nothing else.
    func greet() {
        if isDeleted {
            isDeleted = false
            sayAnew()
        }
        if let lastPhoto {
            agent.bus.publishQueued(
                agent.topics.image(camera: camera.id), lastPhoto.jpeg, lastPhoto.properties)
        }
    }

    /// A photo that the broker doesn't keep.
    func note(photo jpeg: [UInt8], _ properties: BusProperties) {
        if isOn { lastPhoto = (jpeg, properties) }
    }

    private var device: DiscoveredDevice? {
        guard let info = camera.saidInfo else { return nil }
        return DiscoveredDevice(
            info, identity: agent.settings.identity(ofCamera: camera.id),
            topics: CameraTopics(agent: agent.topics.root, camera: "\(agent.topics.root)/\(camera.id)"),
            version: agent.settings.version, presets: camera.presets.presets.keys.sorted())
    }
}

extension DiscoveredDevice {
    /// A camera as its `info` describes it.
    package init(
        _ info: CameraInfo, identity: Identity, topics: CameraTopics, version: String, presets: [String]
    ) {
        self.init(
            identity: identity, topics: topics, model: info.model, serial: info.serial, version: version,
            zoom: info.zoom.min...info.zoom.max, qualities: info.qualities, presets: presets,
            controls: info.controls.compactMap(DiscoveredControl.init))
    }
}

extension DiscoveredControl {
    fileprivate init?(_ control: CameraInfo.Control) {
        let kind: Kind
        switch control.kind {
        case "slider":
            guard let min = control.min, let max = control.max, let step = control.step else { return nil }
            kind = .slider(min: min, max: max, step: step)
        case "discrete": kind = .discrete(control.values ?? [])
        case "picker":
            kind = .picker((control.options ?? []).map { Option(value: $0.value, title: $0.title) })
        case "toggle": kind = .toggle
        case "button": kind = .button
        case "text": kind = .text
        default: return nil
        }
        self.init(
            control.name, control.title, kind, unit: control.unit, isReadOnly: control.readOnly ?? false)
    }
}
