internal import ArgumentParser
internal import CameraAgent
internal import Cameras
internal import Configuration
internal import Console
internal import FoundationEssentials
internal import Imaging
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import V4L2

extension Configuration {
    /// What the agent is told: the configuration's values, with the files that it names.
    ///
    /// - Parameter devices: watches what is plugged in, for all the cameras.
    func agentSettings(_ devices: SharedDevices) throws -> AgentSettings {
        AgentSettings(
            agent: agent, baseTopic: mqtt.baseTopic, host: Configuration.systemHostName(),
            version: Program.version, bus: mqtt.busSettings, stateFile: stateFile,
            captures: CaptureSettings(
                FolderSettings(directory: captures.directory, maximumBytes: captures.maxBytes),
                retainsImage: captures.retainImage),
            recordings: recordings.agentSettings,
            liveRate: zoom.liveRate, gestureTimeout: zoom.gestureTimeout, commandRate: commandRate,
            homeAssistant: HomeAssistantSettings(
                isOn: homeAssistant.discovery, prefix: homeAssistant.prefix,
                previewRate: homeAssistant.previewRate),
            cameras: try cameras.map { try $0.agentSettings(devices) },
            standIn: servesAll ? cameras.first?.id : nil)
    }
}

extension Configuration.MQTT {
    var busSettings: BusSettings {
        BusSettings(
            host: host, port: port, version: protocolVersion == .v5 ? .v5 : .v311, clientID: clientID,
            username: username, password: password?.text,
            tls: tls.map {
                .init(
                    caFile: $0.caFile, certificateFile: $0.identity?.certFile, keyFile: $0.identity?.keyFile)
            }, keepAlive: keepalive)
    }
}

extension Configuration.Recordings {
    fileprivate var agentSettings: RecordingSettings {
        RecordingSettings(
            FolderSettings(directory: directory, maximumBytes: maxBytes), maximumFileBytes: maxFileBytes,
            maximumSeconds: maxSeconds, codec: codec == .h264 ? .h264 : .mjpeg)
    }
}

extension Configuration.Shutter {
    fileprivate var agentSettings: ShutterSettings {
        ShutterSettings(
            primary: primary.forAgent, secondary: (secondary ?? primary).forAgent,
            longPress: longPress > .zero ? longPress : nil, sound: sound, bindings: buttons.map(\.forAgent))
    }
}

extension Configuration.Shutter.Action {
    fileprivate var forAgent: CameraInfo.Shutter.Action {
        switch self {
        case .photo: .photo
        case .record: .record
        }
    }
}

extension Configuration.Button {
    fileprivate var forAgent: Binding {
        let words: [([String], Binding.Event)] = [
            (press, .press), (began, .phase(.began)), (ended, .phase(.ended)),
            (cancelled, .phase(.cancelled)),
        ]
        let events = words.flatMap { words, event in words.map { ($0, event) } }
        return Binding(
            topic: topic, field: field?.split(separator: ".").map { String($0) } ?? [],
            events: Dictionary(uniqueKeysWithValues: events),
            button: role == .primary ? .primary : .secondary, isRemote: isRemote)
    }
}

extension Configuration.Camera {
    fileprivate func agentSettings(_ devices: SharedDevices) throws -> CameraSettings {
        let simulated = sources.contains(.simulated) ? try simulatedSettings() : nil
        return agentSettings(devices) { [id] in
            sources.compactMap { source in
                switch source {
                case .v4l2(let path): .path(path)
                case .serial(let number): .serial(number)
                case .simulated:
                    simulated.map { settings in
                        .fixed { SimulatedCamera(settings, serial: id, on: $0) }
                    }
                }
            }
        }
    }

    /// The same for a device that was found.
    func agentSettings(of device: FoundDevice, named name: String, _ devices: SharedDevices) -> CameraSettings
    {
        var settings = agentSettings(devices) { [.identity(device)] }
        settings.id = name
        return settings
    }

    private func agentSettings(
        _ devices: SharedDevices, choices: @escaping () -> [DeviceSource.Choice]
    ) -> CameraSettings {
        let points = device.calibration.map { Calibration.Point(raw: $0.raw, factor: $0.factor) }
        var drift: V4L2Lens.Drift?
        if let rate = device.continuousRate, let max = device.continuousMax {
            drift = V4L2Lens.Drift(rate: rate, max: max)
        }
        let settings = V4L2Camera.Settings(
            width: device.width, height: device.height, rate: device.rate, pixelFormat: device.pixelFormat,
            input: device.input, calibration: Calibration(points), drift: drift,
            linger: device.stream == .always ? nil : .seconds(5))
        let needsDevices = sources != [.simulated]
        return CameraSettings(
            id: id, groups: groups, zoom: zoom, position: position, kind: kind,
            reasserts: external == .reassert, isDiscovered: discovery, microphone: microphone,
            shutter: shutter.agentSettings
        ) { loop in
            DeviceSource(
                choices(), settings: settings, watcher: needsDevices ? devices.watcher(on: loop) : nil,
                on: loop)
        }
    }

    private func simulatedSettings() throws -> SimulatedCamera.Settings {
        var settings = SimulatedCamera.Settings(
            width: simulation.width ?? 1_920, height: simulation.height ?? 1_080,
            rate: Double(simulation.frameRate),
            opticalMax: simulation.opticalMax, lensSpeed: simulation.lensSpeed,
            writeLatency: simulation.writeLatency)
        settings.fault =
            switch simulation.fault {
            case .none: nil
            case .writeError: .write
            case .frameError: .frame
            case .modeError: .mode
            }
        guard let image else { return settings }
        do {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: image)))
            let photo = try PhotoMaker().photo(
                of: bytes, fillingWidth: simulation.width, height: simulation.height)
            (settings.jpeg, settings.width, settings.height) = (photo.bytes, photo.width, photo.height)
        } catch {
            printError("cameras: \(id): image: \(image) can't be used: \(error)")
            throw ExitStatus.usage
        }
        return settings
    }
}

/// The one watcher of devices, made when the first camera needs it.
final class SharedDevices {
    private var watcher: DeviceWatcher?

    /// Nil when the system gives no further thread: then no device is found.
    func watcher(on loop: EventLoop) -> DeviceWatcher? {
        if watcher == nil { watcher = try? DeviceWatcher(on: loop) }
        return watcher
    }
}
