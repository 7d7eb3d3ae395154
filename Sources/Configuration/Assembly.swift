/// One key with what it came to.
struct SettledKey: Sendable {
    let key: any AnyKey
    let camera: Int?
    /// The value as YAML; nil when the key is unset.
    let text: String?
    let origin: Origin
}

/// Makes a ``Configuration`` of the layers, with the checks that concern several keys. Pure: it opens no
/// file.
struct Assembly {
    private(set) var layers: Layers
    /// The files that must be there.
    private(set) var files: [InputFile] = []
    private var settled: [SettledKey] = []

    init(_ layers: Layers) { self.layers = layers }

    /// The result can only be used when ``layers`` has no errors.
    mutating func configuration(hostName: String) -> Configuration {
        let agent = value(Keys.agent, standard: agentName(hostName: hostName))
        let mqtt = mqtt(agent: agent)
        let stateFile = outputPath(Keys.stateFile)
        let captures = Configuration.Captures(
            directory: outputPath(Keys.captureDirectory), maxBytes: value(Keys.captureBytes),
            retainImage: value(Keys.retainImage))
        let recordings = recordings()
        let log = Configuration.Log(level: value(Keys.logLevel), format: value(Keys.logFormat))
        let zoom = Configuration.Zoom(
            liveRate: value(Keys.liveRate), gestureTimeout: .milliseconds(value(Keys.gestureTimeout)))
        let homeAssistant = homeAssistant()
        let cameras = (0..<layers.cameraCount).map { camera($0) }
        checkIDs(cameras)
        checkButtons(cameras, below: mqtt.baseTopic)
        return Configuration(
            agent: agent, mqtt: mqtt, stateFile: stateFile, captures: captures, recordings: recordings,
            log: log, zoom: zoom,
            commandRate: value(Keys.commandRate), homeAssistant: homeAssistant, cameras: cameras,
            servesAll: !layers.areCamerasSaid, settled: inOrder(settled))
    }

    private mutating func mqtt(agent: String) -> Configuration.MQTT {
        let host = value(Keys.host)
        let port = value(Keys.port, standard: layers.isSaid(Keys.caFile.path) ? 8883 : 1883)
        // The password is read later: see InputFile.
        _ = inputFile(Keys.passwordFile)
        let mqtt = Configuration.MQTT(
            host: host, port: port, protocolVersion: value(Keys.protocolVersion),
            baseTopic: value(Keys.baseTopic), clientID: value(Keys.clientID, standard: "v4l2mqtt-\(agent)"),
            username: value(Keys.username), password: nil, keepalive: value(Keys.keepalive), tls: tls())
        for (key, needed) in [
            (Keys.passwordFile, Keys.username), (Keys.certFile, Keys.keyFile), (Keys.keyFile, Keys.certFile),
            (Keys.certFile, Keys.caFile),
        ] where layers.isSaid(key.path) && !layers.isSaid(needed.path) {
            layers.report(origin(key), key.path, "needs \(needed.path) beside it")
        }
        return mqtt
    }

    private mutating func recordings() -> Configuration.Recordings {
        let all = value(Keys.recordingBytes)
        let one = value(
            Keys.recordingFileBytes, standard: min(Keys.recordingFileBytes.standard, all))
        if one > all {
            layers.report(
                origin(Keys.recordingFileBytes), Keys.recordingFileBytes.path,
                "expected at most recordings.max_bytes, which is \(Keys.recordingBytes.kind.render(all) ?? "")"
            )
        }
        return Configuration.Recordings(
            directory: outputPath(Keys.recordingDirectory), maxBytes: all, maxFileBytes: one,
            maxSeconds: value(Keys.recordingSeconds), codec: value(Keys.recordingCodec))
    }

    private mutating func homeAssistant() -> Configuration.HomeAssistant {
        let rate = value(Keys.previewRate)
        if rate > 0 && rate < 0.1 {
            layers.report(
                origin(Keys.previewRate), Keys.previewRate.path, "expected 0, or a number from 0.1 to 60")
        }
        return Configuration.HomeAssistant(
            discovery: value(Keys.discovery), prefix: value(Keys.discoveryPrefix),
            previewRate: rate > 0 ? rate : nil)
    }

    private mutating func tls() -> Configuration.TLS? {
        let files = (ca: inputFile(Keys.caFile), cert: inputFile(Keys.certFile), key: inputFile(Keys.keyFile))
        guard let ca = files.ca else { return nil }
        guard let cert = files.cert, let key = files.key else { return Configuration.TLS(caFile: ca) }
        return Configuration.TLS(caFile: ca, identity: (cert, key))
    }

    private mutating func camera(_ index: Int) -> Configuration.Camera {
        let idPath = Keys.cameraID.path(camera: index)
        if !layers.isSaid(idPath) {
            layers.report(layers.cameraOrigins[index], "", "\(idPath) is missing: each camera needs an id")
        }
        return Configuration.Camera(
            id: value(Keys.cameraID, camera: index), sources: value(Keys.source, camera: index),
            image: inputFile(Keys.image, camera: index), groups: value(Keys.groups, camera: index),
            zoom: zoomRange(index), position: value(Keys.position, camera: index),
            kind: value(Keys.kind, camera: index), external: value(Keys.external, camera: index),
            discovery: value(Keys.cameraDiscovery, camera: index),
            device: device(index), microphone: value(Keys.microphone, camera: index),
            shutter: shutter(index), simulation: simulation(index))
    }

    private mutating func device(_ index: Int) -> Configuration.Device {
        Configuration.Device(
            width: value(Keys.deviceWidth, camera: index), height: value(Keys.deviceHeight, camera: index),
            rate: value(Keys.deviceRate, camera: index), pixelFormat: value(Keys.pixelFormat, camera: index),
            input: value(Keys.deviceInput, camera: index), stream: value(Keys.stream, camera: index),
            calibration: value(Keys.calibration, camera: index),
            continuousRate: value(Keys.continuousRate, camera: index),
            continuousMax: value(Keys.continuousMax, camera: index))
    }

    private mutating func shutter(_ index: Int) -> Configuration.Shutter {
        Configuration.Shutter(
            primary: value(Keys.primaryAction, camera: index),
            secondary: value(Keys.secondaryAction, camera: index),
            longPress: .milliseconds(value(Keys.longPress, camera: index)),
            sound: value(Keys.sound, camera: index), buttons: value(Keys.buttons, camera: index))
    }

    private mutating func zoomRange(_ index: Int) -> ClosedRange<Double> {
        let (least, most) = (value(Keys.zoomMin, camera: index), value(Keys.zoomMax, camera: index))
        if least < most { return least...most }
        let key = layers.isSaid(Keys.zoomMax.path(camera: index)) ? Keys.zoomMax : Keys.zoomMin
        layers.report(
            origin(key, camera: index), key.path(camera: index),
            "expected zoom.min below zoom.max, found \(Keys.zoomMin.kind.render(least) ?? "") and "
                + "\(Keys.zoomMax.kind.render(most) ?? "")")
        return least...least
    }

    private mutating func simulation(_ index: Int) -> Configuration.Simulation {
        Configuration.Simulation(
            opticalMax: value(Keys.opticalMax, camera: index),
            lensSpeed: value(Keys.lensSpeed, camera: index),
            writeLatency: .milliseconds(value(Keys.writeLatency, camera: index)),
            frameRate: value(Keys.frameRate, camera: index), width: value(Keys.width, camera: index),
            height: value(Keys.height, camera: index), fault: value(Keys.injectedFault, camera: index))
    }

    /// What is said below the base is the agents' own.
    private mutating func checkButtons(_ cameras: [Configuration.Camera], below base: String) {
        for (index, camera) in cameras.enumerated() {
            for button in camera.shutter.buttons where button.topic.hasPrefix(base + "/") {
                layers.report(
                    origin(Keys.buttons, camera: index), Keys.buttons.path(camera: index),
                    "expected a topic that isn't below \(quote(base)), found \(quote(button.topic))")
            }
        }
    }

    private mutating func checkIDs(_ cameras: [Configuration.Camera]) {
        var first: [String: Int] = [:]
        for (index, camera) in cameras.enumerated() where layers[Keys.cameraID.path(camera: index)] != nil {
            if let other = first[camera.id] {
                layers.report(
                    origin(Keys.cameraID, camera: index), Keys.cameraID.path(camera: index),
                    "\(quote(camera.id)) is the id of cameras.\(other) already")
            } else {
                first[camera.id] = index
            }
        }
    }
}

extension Assembly {
    /// The value that was said for a key, or else its default.
    private mutating func value<Value>(
        _ key: Key<Value>, camera: Int? = nil, standard: Value? = nil
    ) -> Value {
        settle(key, camera: camera, standard: standard) { value, _ in value }
    }

    private mutating func outputPath(_ key: Key<String>) -> String {
        settle(key, camera: nil, standard: nil, change: resolve)
    }

    private mutating func inputFile(_ key: Key<String?>, camera: Int? = nil) -> String? {
        let path = settle(key, camera: camera, standard: nil) { path, origin in
            path.map { resolve($0, saidBy: origin) }
        }
        guard let path else { return nil }
        let origin = origin(key, camera: camera)
        files.append(InputFile(key: key, camera: camera, path: path, origin: origin))
        return path
    }

    private mutating func settle<Value>(
        _ key: Key<Value>, camera: Int?, standard: Value?, change: (Value, Origin) -> Value
    ) -> Value {
        var value = standard ?? key.standard
        var origin = Origin.standard
        if let node = layers[key.path(camera: camera)], let said = try? key.kind.read(node) {
            value = change(said, node.origin)
            origin = node.origin
        }
        settled.append(SettledKey(key: key, camera: camera, text: key.kind.render(value), origin: origin))
        return value
    }

    /// In the order of the table, camera after camera.
    private func inOrder(_ settled: [SettledKey]) -> [SettledKey] {
        let ranks = Dictionary(
            uniqueKeysWithValues: Keys.all.enumerated().map { ($0.element.path, $0.offset) })
        return settled.sorted {
            ($0.camera ?? -1, ranks[$0.key.path] ?? 0) < ($1.camera ?? -1, ranks[$1.key.path] ?? 0)
        }
    }

    private func origin(_ key: any AnyKey, camera: Int? = nil) -> Origin {
        layers.origin(key.path(camera: camera))
    }
}

/// A path that a file says is relative to the file's folder; one from elsewhere, to the working folder.
private func resolve(_ path: String, saidBy origin: Origin) -> String {
    guard case .file(let name, _) = origin, !path.hasPrefix("/"), let slash = name.lastIndex(of: "/") else {
        return path
    }
    return name[...slash] + path
}

/// A host name as the name of an agent: lower case, and `-` for what names can't have.
func agentName(hostName: String) -> String {
    let bytes = hostName.lowercased().utf8.prefix(64).map { isNameByte($0) ? $0 : UInt8(ascii: "-") }
    let name = String(decoding: bytes, as: UTF8.self)
    return name.isEmpty || name == "groups" ? Keys.agent.standard : name
}
