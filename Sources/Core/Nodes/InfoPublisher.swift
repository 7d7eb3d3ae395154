internal import Cameras
internal import Contract
internal import Settings
internal import ZoomModel

/// `info`: what the camera is and can do. It is published again only when that changes; the values of
/// controls aren't part of it.
///
/// A camera whose device isn't open is described as its device was when it was open last, also in an earlier
/// run.
final class InfoPublisher: BasedNode {
    private static let reasonWhilePrivate = "the camera is private"

    /// Nil: the device was never open.
    private lazy var known = context.saved.device
    private var published: CameraInfo?
    /// What encoded a recording last; nil: nothing yet.
    private var encoder: String?

    override func observe(_ change: CameraChange) {
        switch change {
        case .deviceAttached:
            describeDevice()
            context.saveStateLater()
            publishIfChanged()
        // A control may have enabled or disabled another.
        case .modeChanged, .controlsPublished:
            describeDevice()
            publishIfChanged()
        case .encoderUsed(let name):
            encoder = name
            publishIfChanged()
        // The device isn't open, or will not be found.
        case .deviceDetached, .presenceKnown:
            if known != nil { context.saveStateLater() }
            publishIfChanged()
        default: break
        }
    }

    /// Reads what the open device is and can do. An equal description is not replaced, as the one before
    /// shares its memory with the published `info`.
    private func describeDevice() {
        let present = SavedDevice(device.backend.description, controls.all)
        if present != known { known = present }
    }

    private func publishIfChanged() {
        guard let info = known.map(info), info != published else { return }
        published = info
        context.publish(info, on: .info)
    }

    private func info(of known: SavedDevice) -> CameraInfo {
        let settings = context.settings
        let recordings = context.agent.recordings
        var info = CameraInfo(
            model: known.model, bus: known.bus, serial: known.serial,
            nodes: Node.allCases.map(\.rawValue) + [Topics.refresh], clients: context.agent.clients.mode,
            zoom: zoomInfo(known), formats: known.formats, qualities: known.qualities,
            recording: .init(
                codec: recordings.codec, maximumSeconds: recordings.maximumSeconds,
                audio: settings.microphone != nil, encoding: recordings.encoding),
            shutter: .init(settings.shutter), controls: known.controls)
        info.position = settings.position ?? known.position
        info.kind = settings.kind ?? known.kind
        (info.orientation, info.privacy) = (known.orientation, known.privacy)
        info.recording.encoder = encoder
        info.groups = settings.groups.isEmpty ? nil : settings.groups
        if device.presence == .private { disableControls(of: &info) }
        return info
    }

    private func disableControls(of info: inout CameraInfo) {
        for index in info.controls.indices where info.controls[index].readOnly != true {
            info.controls[index].enabled = false
            info.controls[index].reason = Self.reasonWhilePrivate
        }
    }

    private func zoomInfo(_ known: SavedDevice) -> CameraInfo.Zoom {
        let settings = zoom.model.settings
        let range = settings.range
        var reach = 1.0
        let reaches = known.actuators.map { actuator in
            reach *= actuator.max
            return reach
        }
        var actuators = known.actuators
        if reach < range.upperBound {
            actuators.append(.init(kind: "crop", max: range.upperBound / reach))
        }
        return .init(
            min: range.lowerBound, max: range.upperBound,
            handover: reaches.filter { $0 > range.lowerBound && $0 < range.upperBound },
            actuators: actuators, upscaleFrom: known.opticalMax,
            gestureTimeoutMilliseconds: Int(settings.gestureTimeout / .milliseconds(1)),
            liveRate: settings.liveRate)
    }

    /// While the device is open it can be asked, and its description has kilobytes: it is stored only while
    /// the device is not open.
    override func save(to state: inout SavedCamera) {
        switch device.presence {
        case .unknown, .absent, .private: state.device = known
        case .arriving, .restoring, .ready, .leaving: state.device = nil
        }
    }
}
