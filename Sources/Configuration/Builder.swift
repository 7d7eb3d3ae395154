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
        if layers.isSet("mqtt.hosts"), layers.origin("mqtt.host").layer > layers.origin("mqtt.hosts").layer {
            // A host of a later layer replaces the hosts of an earlier one.
            layers.remove("mqtt.hosts")
        }
        var settings = filled(AgentSettings.standard, Keys.agent, hostName: hostName)
        checkSizes(settings.recordings)
        settings.cameras = (0..<layers.cameraCount).map { camera($0) }
        settings.servesAll = !layers.namesCameras
        let ids = settings.cameras.enumerated().map { layers["cameras.\($0).id"] == nil ? nil : $1.id }
        checkUnique("id", "an id", ids)
        checkOutputs(settings.cameras)
        checkBaseTopic(settings.mqtt)
        checkCameras(of: settings)
        checkHosts(settings.mqtt)
        checkSecrecy(of: settings.mqtt)
        return LoadedConfiguration(settings: settings, values: values, warnings: warnings)
    }

    private mutating func camera(_ index: Int) -> CameraSettings {
        let camera = filled(CameraSettings.standard, Keys.camera, camera: index)
        let id = "cameras.\(index).id"
        if !layers.isSet(id) {
            layers.report(layers.cameraOrigins[index], "", "\(id) is missing: each camera needs an id")
        }
        checkZoom(camera.zoom, camera: index)
        return camera
    }

    private mutating func filled<Settings: Keyed>(
        _ blank: Settings, _ keys: [Key], camera: Int? = nil, hostName: String = ""
    ) -> Settings {
        let paths = keys.map { $0.path(camera: camera) }
        let (settings, texts) = Keys.filled(
            blank, keys, hostName: hostName, defaultFolder: layers.defaultFolder,
            paths.map { layers[$0] })
        for ((key, path), text) in zip(zip(keys, paths), texts) {
            let value = KeyValue(key: key, camera: camera, text: text, origin: layers.origin(path))
            values.append(value)
            if let other = key.needs, layers.isSet(path), !layers.isSet(other) {
                layers.report(value.origin, path, "needs \(other) beside it")
            }
            if let file = InputFile(value, in: layers) { files.append(file) }
        }
        return settings
    }
}

extension Builder {
    private mutating func checkHosts(_ mqtt: MQTTSettings) {
        guard !mqtt.hosts.isEmpty, layers.isSet("mqtt.host"), mqtt.host != MQTTSettings.standard.host,
            !mqtt.hosts.contains(where: { $0.host == mqtt.host })
        else { return }
        warn("mqtt.host", "not used, because mqtt.hosts is set")
    }

    private mutating func checkSizes(_ recordings: RecordingSettings) {
        let all = recordings.folder.maximumBytes
        guard recordings.maximumFileBytes > all else { return }
        report(
            "recordings.max_file_bytes",
            "expected at most recordings.max_bytes, which is \(byteText(all))")
    }

    /// Of a camera whose keys were filled in last.
    private mutating func checkZoom(_ zoom: ClosedRange<Double>, camera: Int) {
        guard zoom.lowerBound == zoom.upperBound else { return }
        let found = ["zoom.min", "zoom.max"].map { name in
            values.last { $0.key.path == Keys.cameras + name }?.text ?? ""
        }
        let most = "cameras.\(camera).zoom.max"
        report(
            layers.isSet(most) ? most : "cameras.\(camera).zoom.min",
            "expected zoom.min below zoom.max, found \(found.joined(separator: " and "))")
    }

    private mutating func checkSecrecy(of mqtt: MQTTSettings) {
        let others = mqtt.brokers.map(\.host).filter { !isThisMachine($0) }
        guard layers.isSet("mqtt.password_file"), !mqtt.tls.isOn, !others.isEmpty else { return }
        let hosts = others.joined(separator: ", ")
        warn(
            "mqtt.password_file",
            "without TLS, the network between here and \(hosts) can read the password")
    }

    /// Answers and the topics of agents must not meet.
    private mutating func checkBaseTopic(_ mqtt: MQTTSettings) {
        let (base, answers) = (mqtt.baseTopic + "/", ClientSettings.answers)
        if base.utf8.starts(with: answers.utf8) {
            let words = "a topic other than \(answers), where the answers to proved clients are"
            return report("mqtt.base_topic", "expected \(words), found \(quote(mqtt.baseTopic))")
        }
        for prefix in mqtt.responseTopics where prefix.utf8.starts(with: base.utf8) {
            report(
                "mqtt.response_topics",
                "expected topics that aren't below \(quote(mqtt.baseTopic)), found \(quote(prefix))")
        }
    }

    private mutating func checkCameras(of settings: AgentSettings) {
        let (base, clientsAreProved) = (settings.mqtt.baseTopic, settings.clients.mode == .proved)
        for (index, camera) in settings.cameras.enumerated() {
            // Topics below the base topic belong to the agents.
            for button in camera.shutter.buttons where button.topic.hasPrefix(base + "/") {
                report(
                    "cameras.\(index).shutter.buttons",
                    "expected a topic that isn't below \(quote(base)), found \(quote(button.topic))")
            }
            // A client that isn't proved can give itself any name of the list.
            if !clientsAreProved, camera.privacy.off != nil {
                report("cameras.\(index).privacy.off", "needs clients: proved beside it")
            }
        }
    }

    /// Two cameras can't show their pictures on one device, and a camera that is one of these devices would
    /// show itself.
    private mutating func checkOutputs(_ cameras: [CameraSettings]) {
        checkUnique("output.v4l2", "a device", cameras.map(\.output.path))
        for (index, camera) in cameras.enumerated() {
            guard let path = camera.output.path,
                let other = cameras.firstIndex(where: { $0.sources.contains(.v4l2(path: path)) })
            else { continue }
            report(
                "cameras.\(index).output.v4l2",
                "expected another device than the source of cameras.\(other)")
        }
    }

    /// - Parameters:
    ///   - key: of cameras.
    ///   - values: of the cameras; nil: a camera has none.
    private mutating func checkUnique(_ key: String, _ kind: String, _ values: [String?]) {
        var first: [String: Int] = [:]
        for (index, value) in values.enumerated() {
            guard let value else { continue }
            if let other = first[value] {
                report(
                    "cameras.\(index).\(key)",
                    "expected \(kind) of its own, found that of cameras.\(other)")
            } else {
                first[value] = index
            }
        }
    }

    /// Reports an error at the place where the key was set.
    private mutating func report(_ path: String, _ message: String) {
        layers.report(layers.origin(path), path, message)
    }

    private mutating func warn(_ path: String, _ message: String) {
        warnings.append(layers.origin(path).introduction(to: path) + message)
    }
}

/// Whether a broker's host is surely this machine. Names aren't looked up.
private func isThisMachine(_ host: String) -> Bool {
    let isAddress = host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
    return host.lowercased() == "localhost" || host == "::1" || isAddress && host.hasPrefix("127.")
}
