internal import Cameras
internal import Contract
internal import Settings
internal import ZoomModel

/// `info`: what the camera is and can do. It is published again only when that changes; the values of
/// controls aren't part of it.
///
/// A camera whose device isn't open is described as its device was when it was open last. Before the first
/// device of a run nothing is published: the broker has the `info` of an earlier run.
final class InfoPublisher: BasedNode {
    private static let reasonWhilePrivate = "the camera is private"

    /// Of the device that is open, or was open last; nil: there was none in this run.
    private var described: CameraInfo?
    private var published: CameraInfo?
    /// What encoded a recording last; nil: nothing yet.
    private var encoder: String?

    override func observe(_ change: CameraChange) {
        switch change {
        // A control may have enabled or disabled another.
        case .deviceAttached, .modeChanged, .controlsPublished: describeDevice()
        case .encoderUsed(let name): encoder = name
        // The device isn't open, or will not be found.
        case .deviceDetached, .presenceKnown: break
        default: return
        }
        publishIfChanged()
    }

    private func publishIfChanged() {
        guard var info = described else { return }
        info.recording.encoder = encoder
        if device.presence == .private { disableControls(of: &info) }
        guard info != published else { return }
        published = info
        context.publish(info, on: .info)
    }

    /// Reads what the open device is and can do. An equal description is not replaced, as the one before
    /// shares its memory with the published `info`.
    private func describeDevice() {
        let (settings, recordings) = (context.settings, context.agent.recordings)
        let (known, controls) = (device.backend.description, controls.all)
        var info = CameraInfo(
            model: known.model, bus: known.bus, serial: known.serial,
            nodes: Node.allCases.map(\.name) + [Topics.refresh], clients: context.agent.clients.mode,
            zoom: zoomInfo(known),
            formats: known.formats.map {
                .init(pixelFormat: $0.pixelFormat, width: $0.width, height: $0.height, fps: $0.rates)
            }, qualities: known.qualities,
            recording: .init(
                codec: recordings.codec, maximumSeconds: recordings.maximumSeconds,
                audio: settings.microphone != nil, encoding: recordings.encoding),
            shutter: .init(settings.shutter), controls: controls.map(\.descriptor))
        info.name = settings.name
        info.position = settings.position ?? known.position?.rawValue
        info.kind = settings.kind ?? known.kind?.rawValue
        info.orientation = known.orientation.map {
            .init(
                rotation: $0.total.quarterTurns * 90, mirrored: $0.total.isMirrored,
                driver: $0.remaining == .upright)
        }
        info.privacy = controls.first(where: \.isPrivacy).map {
            .init(control: $0.name, access: $0.isReadOnly ? .readOnly : .settable)
        }
        info.groups = settings.groups.isEmpty ? nil : settings.groups
        if info != described { described = info }
    }

    private func disableControls(of info: inout CameraInfo) {
        for index in info.controls.indices where info.controls[index].readOnly != true {
            info.controls[index].enabled = false
            info.controls[index].reason = Self.reasonWhilePrivate
        }
    }

    private func zoomInfo(_ known: CameraDescription) -> CameraInfo.Zoom {
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
}
