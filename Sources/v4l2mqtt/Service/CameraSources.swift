internal import ArgumentParser
internal import Base
internal import Cameras
internal import FoundationEssentials
internal import Media
internal import Settings

/// The source of a camera's frames, as its settings describe it.
///
/// - Parameters:
///   - devices: watches the devices for all cameras, and knows which found device belongs to which camera.
///   - loop: where the source calls back.
/// - Throws: ``UnusableImage``.
func cameraSource(
    for camera: CameraSettings, devices: SharedDevices, on loop: EventLoop
) throws(UnusableImage) -> any CameraSource {
    var choices: [DeviceChoice] = []
    var needsDevices = false
    if let device = devices.device(of: camera.id) {
        choices.append(.identity(device))
        needsDevices = true
    }
    for source in camera.sources {
        choices.append(
            try DeviceChoice(source) { () throws(UnusableImage) in
                let settings = try SimulatedCamera.Settings(of: camera)
                let orientation = WantedOrientation(camera.orientation).map {
                    DeviceOrientation(byAgent: $0.orientation(sensorRotation: nil))
                }
                return { SimulatedCamera(settings, serial: camera.id, on: $0).oriented(orientation) }
            })
        needsDevices = needsDevices || source != .simulated
    }
    return DeviceSource(
        choices, for: camera.id, settings: V4L2Camera.Settings(camera.device, camera.orientation),
        watcher: needsDevices ? devices.watcher(on: loop) : nil, on: loop)
}

/// Opens the device of a virtual camera.
let openOutput: OpenOutput = { request in
    Result { () throws(CameraError) in try V4L2Output(request) }
}

/// The JPEG file of a simulated camera can't be used.
struct UnusableImage: Error, CustomStringConvertible {
    let camera: String
    let path: String
    let reason: String

    var message: String { "\(path) can't be used: \(reason)" }
    var description: String { "cameras: \(camera): image: \(message)" }
}

/// The watcher of devices, made when the first camera needs it, and the devices that were found at the start.
final class SharedDevices {
    private var watcher: DeviceWatcher?
    private var found: [String: FoundDevice] = [:]
    /// The paths of the devices of virtual cameras, which are no sources; to be set before the first watcher
    /// is made.
    var outputs: Set<String> = []
    private let tags: [DeviceTag]

    /// - Parameter tags: what the configuration states of devices.
    init(tags: [DeviceTagSettings] = []) { self.tags = tags.map(DeviceTag.init) }

    /// Nil when the system gives no further thread: then no device is found.
    func watcher(on loop: EventLoop) -> DeviceWatcher? {
        if watcher == nil { watcher = try? DeviceWatcher(tags: tags, on: loop) }
        watcher?.outputs = outputs
        return watcher
    }

    /// The devices that are present now and can be sources, with their tags. It opens each of them.
    func scan() -> [FoundDevice] { DeviceScan.devices().without(outputs).tagged(by: tags) }

    /// Makes a device the source of the camera with this id. It is preferred to the sources in the settings.
    func assign(_ device: FoundDevice, to camera: String) { found[camera] = device }

    func device(of camera: String) -> FoundDevice? { found[camera] }
}

extension DeviceChoice {
    /// An entry of a camera's list of sources.
    ///
    /// - Parameter simulated: called for the entry `simulated`; returns what makes its camera.
    init<Failure>(
        _ source: SourceChoice,
        simulated: () throws(Failure) -> (EventLoop) -> any CameraBackend
    ) throws(Failure) {
        switch source {
        case .v4l2(let path): self = .path(path)
        case .serial(let number): self = .serial(number)
        case .properties(let pattern): self = .properties(DeviceProperties(pattern))
        case .simulated: self = .fixed(try simulated())
        }
    }
}

extension DeviceProperties {
    init(_ pattern: DevicePattern) {
        self.init(
            serial: pattern.serial, model: pattern.model, driver: pattern.driver, bus: pattern.bus,
            kind: pattern.kind?.rawValue, position: pattern.position?.rawValue)
    }
}

extension DeviceTag {
    init(_ settings: DeviceTagSettings) {
        self.init(
            of: DeviceProperties(settings.devices), kind: settings.kind?.rawValue,
            position: settings.position?.rawValue)
    }
}

extension V4L2Camera.Settings {
    /// How long frames are still read after the last one that was needed.
    private static let linger = Duration.seconds(5)

    init(_ device: DeviceSettings, _ orientation: OrientationSettings) {
        let points = device.calibration.map { Calibration.Point(raw: $0.raw, factor: $0.factor) }
        var speedControl: V4L2Lens.SpeedControl?
        if let rate = device.continuousRate, let maximum = device.continuousMaximum {
            speedControl = V4L2Lens.SpeedControl(rate: rate, max: maximum)
        }
        self.init(
            width: device.width, height: device.height, rate: device.rate, pixelFormat: device.pixelFormat,
            input: device.input, calibration: Calibration(points), speedControl: speedControl,
            linger: device.stream == .always ? nil : Self.linger,
            orientation: WantedOrientation(orientation))
    }
}

extension WantedOrientation {
    /// Nil: the configuration has none.
    init?(_ settings: OrientationSettings) {
        guard settings.isSet else { return nil }
        self.init(
            quarterTurns: (settings.rotation ?? RotationSetting.none).quarterTurns,
            isMirrored: settings.mirror == .horizontal, isFlipped: settings.mirror == .vertical)
    }
}

extension SimulatedCamera.Settings {
    init(of camera: CameraSettings) throws(UnusableImage) {
        let simulation = camera.simulation
        self.init(
            width: simulation.width ?? 1_920, height: simulation.height ?? 1_080,
            rate: Double(simulation.frameRate), opticalMax: simulation.opticalMaximum,
            lensSpeed: simulation.lensSpeed, writeLatency: simulation.writeLatency,
            object: simulation.objectSize.map { MovingObject(size: $0, period: simulation.objectPeriod) },
            fault: Fault(simulation.fault))
        guard let image = camera.image else { return }
        do {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: image)))
            let photo = try PhotoMaker().photo(
                of: bytes, fillingWidth: simulation.width, height: simulation.height)
            (jpeg, width, height) = (photo.bytes, photo.width, photo.height)
        } catch {
            throw UnusableImage(camera: camera.id, path: image, reason: "\(error)")
        }
    }
}

extension SimulatedCamera.Settings.Fault {
    fileprivate init?(_ fault: SimulatedFault) {
        switch fault {
        case .none: return nil
        case .writeError: self = .write
        case .frameError: self = .frame
        case .modeError: self = .mode
        }
    }
}
