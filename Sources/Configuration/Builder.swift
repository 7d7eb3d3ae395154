internal import Contract
internal import Settings

/// A key's value in a loaded configuration.
struct KeyValue: Sendable {
    let key: Key
    let camera: Int?
    /// As YAML. Nil: the key has no value.
    let text: String?
    let origin: ValueOrigin
}

/// Builds a ``LoadedConfiguration`` from the layers, with the checks that concern several keys. Pure: it
/// opens no file.
struct Builder {
    private(set) var layers: Layers
    /// The files that must be readable.
    private(set) var files: [InputFile] = []
    private var values: [KeyValue] = []
    private var warnings: [String] = []

    init(_ layers: Layers) { self.layers = layers }

    /// The result may only be used if ``layers`` has no errors.
    mutating func configuration(hostName: String) -> LoadedConfiguration {
        var draft = Draft()
        (draft.hostName, draft.defaultFolder) = (hostName, layers.defaultFolder)
        chooseHosts()
        fill(&draft, from: Keys.agent)
        checkSizes(draft.settings.recordings)
        var settings = draft.settings
        settings.mqtt.tls.isOn = draft.usesTLS
        settings.cameras = (0..<layers.cameraCount).map { camera($0) }
        settings.servesAll = !layers.namesCameras
        checkIDs(settings.cameras)
        checkOutputs(settings.cameras)
        checkBaseTopic(settings.mqtt)
        checkButtons(settings.cameras, below: settings.mqtt.baseTopic)
        checkPrivacy(settings.cameras, clientsAreProved: settings.clients.mode == .proved)
        checkHosts(settings.mqtt)
        checkSecrecy(of: settings.mqtt)
        return LoadedConfiguration(settings: settings, values: values, warnings: warnings)
    }

    private mutating func camera(_ index: Int) -> CameraSettings {
        var draft = Draft()
        fill(&draft, from: Keys.camera, camera: index)
        let idPath = Keys[\.camera.id].path(camera: index)
        if !layers.isSet(idPath) {
            layers.report(layers.cameraOrigins[index], "", "\(idPath) is missing: each camera needs an id")
        }
        checkZoom(draft, camera: index)
        // Empty if the two keys contradict each other.
        draft.camera.zoom = draft.zoomMinimum...max(draft.zoomMinimum, draft.zoomMaximum)
        return draft.camera
    }

    /// Stores the value of each key that is set, then the defaults that depend on others.
    private mutating func fill(_ draft: inout Draft, from keys: [Key], camera: Int? = nil) {
        let nodes = keys.map { layers[$0.path(camera: camera)] }
        for key in keys { layers.store(key.path(camera: camera), in: &draft) }
        for (key, node) in zip(keys, nodes) where node == nil { key.storeDefault(&draft) }
        for (key, node) in zip(keys, nodes) {
            values.append(
                KeyValue(
                    key: key, camera: camera, text: key.text(draft), origin: node?.origin ?? .defaultValue))
            checkNeeds(of: key, camera: camera)
            if let node, let file = InputFile(key, camera: camera, node) { files.append(file) }
        }
    }
}

extension Builder {
    private mutating func checkNeeds(of key: Key, camera: Int?) {
        let path = key.path(camera: camera)
        guard layers.isSet(path) else { return }
        for needed in key.needs {
            let other = Keys[needed].path(camera: camera)
            if !layers.isSet(other) { layers.report(layers.origin(path), path, "needs \(other) beside it") }
        }
    }

    /// A `mqtt.host` of a later layer replaces the `mqtt.hosts` of an earlier one.
    private mutating func chooseHosts() {
        let (one, several) = (Keys[\.mqtt.host].path, Keys[\.mqtt.hosts].path)
        if layers.isSet(several), layers.origin(one).layer > layers.origin(several).layer {
            layers.remove(several)
        }
    }

    private mutating func checkHosts(_ mqtt: MQTTSettings) {
        let one = Keys[\.mqtt.host].path
        guard !mqtt.hosts.isEmpty, layers.isSet(one), mqtt.host != AgentSettings.standard.mqtt.host,
            !mqtt.hosts.contains(where: { $0.host == mqtt.host })
        else { return }
        warnings.append(
            layers.origin(one).introduction(to: one)
                + "not used, because \(Keys[\.mqtt.hosts].path) is set")
    }

    private mutating func checkSizes(_ recordings: RecordingSettings) {
        let all = recordings.folder.maximumBytes
        guard recordings.maximumFileBytes > all else { return }
        let limit = Keys[\.recordings.folder.maximumBytes].path
        report(
            Keys[\.recordings.maximumFileBytes],
            "expected at most \(limit), which is \(byteText(all))")
    }

    private mutating func checkZoom(_ draft: Draft, camera: Int) {
        guard draft.zoomMinimum >= draft.zoomMaximum else { return }
        let (least, most) = (Keys[\.zoomMinimum], Keys[\.zoomMaximum])
        report(
            layers.isSet(most.path(camera: camera)) ? most : least, camera: camera,
            "expected zoom.min below zoom.max, found \(draft.zoomMinimum.shortText) and "
                + draft.zoomMaximum.shortText)
    }

    private mutating func checkSecrecy(of mqtt: MQTTSettings) {
        let path = Keys[\.passwordFile].path
        let others = mqtt.brokers.map(\.host).filter { !isThisMachine($0) }
        guard layers.isSet(path), !mqtt.tls.isOn, !others.isEmpty else { return }
        warnings.append(
            layers.origin(path).introduction(to: path)
                + "without TLS, the network between here and \(others.joined(separator: ", ")) can read the password"
        )
    }

    /// Answers and the topics of agents must not meet.
    private mutating func checkBaseTopic(_ mqtt: MQTTSettings) {
        let base = mqtt.baseTopic + "/"
        if base.utf8.starts(with: ClientSettings.answers.utf8) {
            return report(
                Keys[\.mqtt.baseTopic],
                "expected a topic other than \(ClientSettings.answers), where the answers to proved clients are, found "
                    + quote(mqtt.baseTopic))
        }
        for prefix in mqtt.responseTopics where prefix.utf8.starts(with: base.utf8) {
            report(
                Keys[\.mqtt.responseTopics],
                "expected topics that aren't below \(quote(mqtt.baseTopic)), found \(quote(prefix))")
        }
    }

    /// Topics below the base topic belong to the agents.
    private mutating func checkButtons(_ cameras: [CameraSettings], below base: String) {
        for (index, camera) in cameras.enumerated() {
            for button in camera.shutter.buttons where button.topic.hasPrefix(base + "/") {
                report(
                    Keys[\.camera.shutter.buttons], camera: index,
                    "expected a topic that isn't below \(quote(base)), found \(quote(button.topic))")
            }
        }
    }

    /// A client that isn't proved can give itself any name of the list.
    private mutating func checkPrivacy(_ cameras: [CameraSettings], clientsAreProved: Bool) {
        if clientsAreProved { return }
        for (index, camera) in cameras.enumerated() where camera.privacy.off != nil {
            report(Keys[\.camera.privacy.off], camera: index, "needs clients: proved beside it")
        }
    }

    /// Two cameras can't show their pictures on one device, and a camera that is one of these devices would
    /// show itself.
    private mutating func checkOutputs(_ cameras: [CameraSettings]) {
        let key = Keys[\.camera.output.path]
        checkUnique(key, "a device", cameras.map(\.output.path))
        for (index, camera) in cameras.enumerated() {
            guard let path = camera.output.path else { continue }
            if let other = cameras.firstIndex(where: { $0.sources.contains(.v4l2(path: path)) }) {
                report(
                    key, camera: index, "expected another device than the source of cameras.\(other)")
            }
        }
    }

    private mutating func checkIDs(_ cameras: [CameraSettings]) {
        let key = Keys[\.camera.id]
        let ids = cameras.enumerated().map { layers[key.path(camera: $0)] == nil ? nil : $1.id }
        checkUnique(key, "an id", ids)
    }

    /// - Parameter values: of the cameras; nil: a camera has none.
    private mutating func checkUnique(_ key: Key, _ kind: String, _ values: [String?]) {
        var first: [String: Int] = [:]
        for (index, value) in values.enumerated() {
            guard let value else { continue }
            if let other = first[value] {
                report(key, camera: index, "expected \(kind) of its own, found that of cameras.\(other)")
            } else {
                first[value] = index
            }
        }
    }

    /// Reports an error at the place where the key was set.
    private mutating func report(_ key: Key, camera: Int? = nil, _ message: String) {
        let path = key.path(camera: camera)
        layers.report(layers.origin(path), path, message)
    }
}

/// Whether a broker's host is surely this machine. Names aren't looked up.
private func isThisMachine(_ host: String) -> Bool {
    let isAddress = host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
    return host.lowercased() == "localhost" || host == "::1" || isAddress && host.hasPrefix("127.")
}
