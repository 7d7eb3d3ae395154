internal import Contract
internal import Settings

extension LoadedConfiguration {
    /// Fills in the settings, and checks what concerns several keys. Pure: it opens no file. The result may
    /// only be used if ``layers`` has no errors.
    init(_ layers: Layers, hostName: String = "", fleet: FleetOutcome? = nil) {
        (self.layers, self.fleet) = (layers, fleet)
        if layers.isSet("mqtt.hosts"), layers.origin("mqtt.host").layer > layers.origin("mqtt.hosts").layer {
            // A host of a later layer replaces the hosts of an earlier one.
            self.layers.remove("mqtt.hosts")
        }
        settings = filled(settings, Keys.agent, hostName: hostName)
        settings.servesAll = !layers.namesCameras
        settings.cameras = []
        for (index, origin) in layers.cameraOrigins.enumerated() {
            settings.cameras.append(filled(CameraSettings.standard, Keys.camera, camera: index))
            let id = "cameras.\(index).id"
            guard !layers.isSet(id) else { continue }
            self.layers.report(origin, "", "\(id) is missing: each camera needs an id")
        }
        let ids = settings.cameras.enumerated().map { layers["cameras.\($0).id"] == nil ? nil : $1.id }
        checkUnique("id", "an id", ids)
        checkOutputs(settings.cameras)
        checkCameras()
        checkHosts(settings.mqtt)
        checkSecrecy(of: settings.mqtt)
    }

    private mutating func filled<Settings: Keyed>(
        _ blank: Settings, _ keys: [Key], camera: Int? = nil, hostName: String = ""
    ) -> Settings {
        let paths = keys.map { $0.path(camera: camera) }
        let (settings, visitor) = Keys.filled(
            blank, keys, hostName: hostName, defaultFolder: layers.defaultFolder, paths.map { layers[$0] })
        for ((key, path), text) in zip(zip(keys, paths), visitor.texts) {
            values.append((key, camera, path, text))
            if let other = key.needs, layers.isSet(path), !layers.isSet(other) {
                layers.report(path, "needs \(other) beside it")
            }
        }
        for problem in visitor.problems {
            let paths = problem.keys.compactMap { Keys[$0]?.path(camera: camera) }
            layers.report(paths.first(where: layers.isSet) ?? paths.last ?? "", problem.message)
        }
        return settings
    }

    private mutating func checkHosts(_ mqtt: MQTTSettings) {
        guard !mqtt.hosts.isEmpty, layers.isSet("mqtt.host"), mqtt.host != MQTTSettings.standard.host,
            !mqtt.hosts.contains(where: { $0.host == mqtt.host })
        else { return }
        warn(about: "mqtt.host", "not used, because mqtt.hosts is set")
    }

    private mutating func checkSecrecy(of mqtt: MQTTSettings) {
        let others = mqtt.brokers.map(\.host).filter { !isThisMachine($0) }
        guard layers.isSet("mqtt.password_file"), !mqtt.tls.isOn, !others.isEmpty else { return }
        let hosts = others.joined(separator: ", ")
        warn(
            about: "mqtt.password_file",
            "without TLS, the network between here and \(hosts) can read the password")
    }

    private mutating func checkCameras() {
        let (base, clientsAreProved) = (settings.mqtt.baseTopic, settings.clients.mode == .proved)
        for (index, camera) in settings.cameras.enumerated() {
            // Topics below the base topic belong to the agents.
            for button in camera.shutter.buttons where button.topic.hasPrefix(base + "/") {
                layers.report(
                    "cameras.\(index).shutter.buttons",
                    "expected a topic that isn't below \(quote(base)), found \(quote(button.topic))")
            }
            // A client that isn't proved can give itself any name of the list.
            if !clientsAreProved, camera.privacy.off != nil {
                layers.report("cameras.\(index).privacy.off", "needs clients: proved beside it")
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
            layers.report(
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
                layers.report(
                    "cameras.\(index).\(key)",
                    "expected \(kind) of its own, found that of cameras.\(other)")
            } else {
                first[value] = index
            }
        }
    }
}

/// Whether a broker's host is surely this machine. Names aren't looked up.
private func isThisMachine(_ host: String) -> Bool {
    let isAddress = host.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
    return host.lowercased() == "localhost" || host == "::1" || isAddress && host.hasPrefix("127.")
}
