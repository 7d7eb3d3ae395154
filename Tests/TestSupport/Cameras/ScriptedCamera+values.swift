package import Cameras
import Contract
internal import Settings

/// A call that waits for its answer.
enum PendingCall {
    case lens(Double)
    case stop
    case controls([String: Control.Value], (Result<[Control], CameraError>) -> Void)
    case mode(CameraMode, (Result<CameraMode, CameraError>) -> Void)
    case frame(after: ContinuousClock.Instant, (Result<Frame, CameraError>) -> Void)

    var operation: ScriptedCamera.Operation {
        switch self {
        case .lens: .lens
        case .stop: .stop
        case .controls: .controls
        case .mode: .mode
        case .frame: .frame
        }
    }

    var frameTime: ContinuousClock.Instant? {
        if case .frame(let time, _) = self { time } else { nil }
    }
}

extension ScriptedCamera {
    /// Sets controls, all or none of them.
    func set(_ values: [String: Control.Value]) -> Result<[Control], CameraError> {
        var changed = controls
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let place = changed.firstIndex(where: { $0.name == name }) else {
                return .failure(.device("\(name): there is no such control"))
            }
            if let reason = changed[place].disabledBecause {
                return .failure(.disabled(control: name, reason: reason))
            }
            if changed[place].kind != .button { changed[place].value = value }
        }
        controls = changed
        return .success(changed)
    }

    /// Takes a format of ``description`` with the nearest rate.
    func change(to wanted: CameraMode) -> Result<CameraMode, CameraError> {
        let format = description.formats.first {
            ($0.pixelFormat, $0.width, $0.height) == (wanted.pixelFormat, wanted.width, wanted.height)
        }
        guard let format else { return .failure(.device("VIDIOC_S_FMT: Invalid argument (scripted)")) }
        mode = wanted
        mode.rate = format.rate(nearestTo: wanted.rate).rate
        // Frames of the mode before don't count.
        lastFrame = nil
        return .success(mode)
    }

    package static func gray(_ mode: CameraMode) -> Picture {
        let (width, height) = (mode.width, mode.height)
        let samples =
            [UInt8](repeating: 100, count: width * height)
            + [UInt8](repeating: 128, count: ((width + 1) / 2) * ((height + 1) / 2) * 2)
        return .planar(PlanarPicture(sampling: .yuv420, width: width, height: height, samples: samples))
    }
}

extension CameraDescription {
    /// A small camera with two sizes; with a lens where `opticalMax` is above 1.
    package static func scripted(serial: String = "scripted-1", opticalMax: Double = 1) -> Self {
        var limits = DeviceSettings.standard
        (limits.width, limits.height) = (64, 36)
        return CameraDescription(
            model: "Scripted camera", bus: "scripted", serial: serial, opticalMax: opticalMax, optical: 1,
            formats: [
                Format(pixelFormat: "YU12", width: 64, height: 36, rates: [30, 15]),
                Format(pixelFormat: "YU12", width: 32, height: 18, rates: [30, 15]),
            ],
            actuators: opticalMax > 1 ? [.init(kind: "simulated", max: opticalMax)] : [],
            limits: limits)
    }
}

extension [Control] {
    /// One of each kind that can be set, and one that is disabled.
    package static var scripted: [Control] {
        [
            Control("brightness", "Brightness", .slider(min: 0, max: 255, step: 1), default: .number(128)),
            Control("bias", "Bias", .discrete([-1, 0, 1]), unit: "EV", default: .number(0)),
            Control("color", "Color", .picker([.init(0, "None"), .init(2, "Sepia")]), default: .number(0)),
            Control("autofocus", "Autofocus", .toggle, default: .flag(true)),
            Control("reset", "Reset", .button, default: .flag(false)),
            Control(
                "focus", "Focus", .slider(min: 0, max: 250, step: 5), default: .number(0),
                disabledBecause: "autofocus is on"),
        ]
    }
}
