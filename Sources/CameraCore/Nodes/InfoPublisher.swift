internal import Cameras
internal import Messages
internal import Settings
internal import ZoomModel

/// `info`: what the camera is and can do. It is published again only when that changes; the values of
/// controls aren't part of it.
final class InfoPublisher: CameraNode {
    private static let reasonWhilePrivate = "the camera is private"

    private let context: CameraContext
    private let device: Device
    private let zoom: ZoomNode
    private let controls: ControlsNode
    private var published: CameraInfo?

    init(_ context: CameraContext, device: Device, zoom: ZoomNode, controls: ControlsNode) {
        (self.context, self.device, self.zoom, self.controls) = (context, device, zoom, controls)
    }

    func observe(_ change: CameraChange) {
        switch change {
        // A control may have enabled or disabled another.
        case .deviceAttached, .modeChanged, .controlsPublished, .formatLearned: publishIfChanged()
        case .deviceDetached: if device.presence == .private { publishPrivate() }
        default: break
        }
    }

    /// Publishes the camera as it was known before its device was closed, with controls that can't be set.
    private func publishPrivate() {
        guard var info = published else { return }
        for index in info.controls.indices where info.controls[index].readOnly != true {
            info.controls[index].enabled = false
            info.controls[index].reason = Self.reasonWhilePrivate
        }
        guard info != published else { return }
        published = info
        context.publish(info, on: .info)
    }

    private func publishIfChanged() {
        let info = info
        guard info != published else { return }
        published = info
        context.publish(info, on: .info)
    }

    private var info: CameraInfo {
        let description = device.backend.description
        let settings = context.settings
        let recordings = context.defaults.recordings
        var info = CameraInfo(
            model: description.model, bus: description.bus, serial: description.serial,
            nodes: Node.allCases.map(\.rawValue), clients: context.defaults.clients,
            zoom: zoomInfo(description),
            formats: description.formats.map {
                .init(
                    pixelFormat: $0.pixelFormat, width: $0.width, height: $0.height, fps: $0.rates,
                    restartInterval: device.restartIntervals[$0])
            },
            qualities: description.qualities,
            recording: .init(
                codec: recordings.codec, maximumSeconds: recordings.maximumSeconds,
                audio: settings.microphone != nil, encoding: recordings.encoding),
            shutter: settings.shutter.forMessages, controls: controls.all.map(\.descriptor))
        (info.position, info.kind) = (settings.position, settings.kind)
        info.privacy = controls.all.first(where: \.isPrivacy).map {
            .init(control: $0.name, access: $0.isReadOnly ? .readOnly : .settable)
        }
        return info
    }

    private func zoomInfo(_ description: CameraDescription) -> CameraInfo.Zoom {
        let settings = zoom.model.settings
        let range = settings.range
        var reach = 1.0
        let reaches = description.actuators.map { actuator in
            reach *= actuator.max
            return reach
        }
        var actuators = description.actuators.map { CameraInfo.Actuator(kind: $0.kind, max: $0.max) }
        if reach < range.max { actuators.append(.init(kind: "crop", max: range.max / reach)) }
        return .init(
            min: range.min, max: range.max, handover: reaches.filter { $0 > range.min && $0 < range.max },
            actuators: actuators, upscaleFrom: description.opticalMax,
            gestureTimeoutMilliseconds: Int(settings.gestureTimeout / .milliseconds(1)),
            liveRate: settings.liveRate)
    }
}
