internal import ArgumentParser
internal import Agent
internal import Cameras
internal import Configuration
internal import Console
internal import FoundationEssentials
internal import Imaging
internal import LoopThread
internal import MQTTBus
internal import MQTTFrontEnd
internal import Messages
internal import Settings
internal import V4L2

extension Configuration {
    /// The configuration's values.
    func agentSettings() -> AgentSettings {
        AgentSettings(
            agent: agent,
            mqtt: MQTTSettings(
                host: mqtt.host, port: mqtt.port, protocolVersion: mqtt.protocolVersion == .v5 ? .v5 : .v311,
                baseTopic: mqtt.baseTopic, clientID: mqtt.clientID, username: mqtt.username,
                password: mqtt.password.map { Settings.Secret($0.text) }, keepAlive: mqtt.keepalive,
                tls: mqtt.tls.map {
                    TLSSettings(
                        caFile: $0.caFile, certificateFile: $0.identity?.certFile, keyFile: $0.identity?.keyFile)
                }),
            stateFile: stateFile,
            captures: CaptureSettings(
                folder: FolderSettings(directory: captures.directory, maximumBytes: captures.maxBytes),
                retainsImage: captures.retainImage),
            recordings: RecordingSettings(
                folder: FolderSettings(directory: recordings.directory, maximumBytes: recordings.maxBytes),
                maximumFileBytes: recordings.maxFileBytes, maximumSeconds: recordings.maxSeconds,
                codec: recordings.codec == .h264 ? .h264 : .mjpeg),
            zoom: ZoomSettings(liveRate: zoom.liveRate, gestureTimeout: zoom.gestureTimeout),
            commandRate: commandRate,
            homeAssistant: HomeAssistantSettings(
                isOn: homeAssistant.discovery, prefix: homeAssistant.prefix,
                previewRate: homeAssistant.previewRate),
            cameras: cameras.map { $0.cameraSettings }, servesAll: servesAll)
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

extension Configuration.Camera {
    var cameraSettings: CameraSettings {
        CameraSettings(
            id: id, groups: groups, zoom: zoom, position: position, kind: kind,
            external: external == .reassert ? .reassert : .follow, isDiscovered: discovery,
            microphone: microphone,
            shutter: ShutterSettings(
                primary: shutter.primary == .photo ? .photo : .record,
                secondary: (shutter.secondary ?? shutter.primary) == .photo ? .photo : .record,
                longPress: shutter.longPress > .zero ? shutter.longPress : nil, sound: shutter.sound,
                buttons: shutter.buttons.map {
                    RemoteButton(
                        topic: $0.topic,
                        field: $0.field?.split(separator: ".").map { String($0) } ?? [], press: $0.press,
                        began: $0.began, ended: $0.ended, cancelled: $0.cancelled,
                        role: $0.role == .primary ? .primary : .secondary, isRemote: $0.isRemote)
                }))
    }
}

extension Configuration.Camera {
    func source(_ devices: SharedDevices) throws -> (EventLoop) -> any CameraSource {
        let simulated = sources.contains(.simulated) ? try simulatedSettings() : nil
        return source(devices) { [id] in
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
    func source(of device: FoundDevice, _ devices: SharedDevices) -> (EventLoop) -> any CameraSource {
        source(devices) { [.identity(device)] }
    }

    private func source(
        _ devices: SharedDevices, choices: @escaping () -> [DeviceSource.Choice]
    ) -> (EventLoop) -> any CameraSource {
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
        return { loop in
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
