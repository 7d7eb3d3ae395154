internal import CameraAgent
internal import Configuration
internal import LoopThread
internal import MQTTBus
internal import Messages
internal import Settings

/// The settings as the types of CameraAgent, which still has its own.
extension Settings.AgentSettings {
    func forCameraAgent(_ devices: SharedDevices, on loop: EventLoop) throws -> CameraAgent.AgentSettings {
        CameraAgent.AgentSettings(
            agent: agent, baseTopic: mqtt.baseTopic, host: LoadedConfiguration.systemHostName(),
            version: Program.version, bus: BusSettings(mqtt), stateFile: stateFile,
            captures: CameraAgent.CaptureSettings(
                captures.folder.forCameraAgent, retainsImage: captures.retainsImage),
            recordings: CameraAgent.RecordingSettings(
                recordings.folder.forCameraAgent, maximumFileBytes: recordings.maximumFileBytes,
                maximumSeconds: recordings.maximumSeconds,
                codec: recordings.codec == .h264 ? .h264 : .mjpeg),
            liveRate: zoom.liveRate, gestureTimeout: zoom.gestureTimeout, commandRate: commandRate,
            homeAssistant: CameraAgent.HomeAssistantSettings(
                isOn: homeAssistant.isOn, prefix: homeAssistant.prefix,
                previewRate: homeAssistant.previewRate),
            cameras: try cameras.map { try $0.forCameraAgent(devices, on: loop) },
            standIn: servesAll ? Settings.CameraSettings().id : nil)
    }
}

extension Settings.FolderSettings {
    fileprivate var forCameraAgent: CameraAgent.FolderSettings {
        CameraAgent.FolderSettings(directory: directory, maximumBytes: maximumBytes)
    }
}

extension Settings.CameraSettings {
    fileprivate func forCameraAgent(
        _ devices: SharedDevices, on loop: EventLoop
    ) throws -> CameraAgent.CameraSettings {
        let source = try cameraSource(for: self, devices: devices, on: loop)
        return CameraAgent.CameraSettings(
            id: id, groups: groups, zoom: zoom, position: position, kind: kind,
            reasserts: external == .reassert, isDiscovered: isDiscovered, microphone: microphone,
            shutter: shutter.forCameraAgent
        ) { _ in source }
    }
}

extension Settings.ShutterSettings {
    fileprivate var forCameraAgent: CameraAgent.ShutterSettings {
        CameraAgent.ShutterSettings(
            primary: primary == .photo ? .photo : .record, secondary: secondary == .photo ? .photo : .record,
            longPress: longPress, sound: sound, bindings: buttons.map(\.binding))
    }
}

extension Settings.RemoteButton {
    fileprivate var binding: Binding {
        let words: [([String], Binding.Event)] = [
            (press, .press), (began, .phase(.began)), (ended, .phase(.ended)),
            (cancelled, .phase(.cancelled)),
        ]
        let events = words.flatMap { words, event in words.map { ($0, event) } }
        return Binding(
            topic: topic, field: field, events: Dictionary(uniqueKeysWithValues: events),
            button: role == .primary ? .primary : .secondary, isRemote: isRemote)
    }
}
