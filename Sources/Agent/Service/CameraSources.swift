internal import Base
package import Cameras
internal import FoundationEssentials
internal import Media
package import Settings

/// The source of a camera's frames, as its settings describe it.
///
/// - Parameters:
///   - devices: watches the devices for all cameras, and knows which found device belongs to which camera.
///   - loop: where the source calls back.
/// - Throws: ``UnusableImage``.
func cameraSource(
    for camera: CameraSettings, devices: SharedDevices, on loop: EventLoop
) throws(UnusableImage) -> any CameraSource {
    let isSimulated = camera.sources.contains(.simulated)
    let (simulation, jpeg) = try isSimulated ? simulated(camera) : (camera.simulation, nil)
    let orientation = camera.orientation.byAgent
    let (id, needsDevices) = (camera.id, camera.sources != [.simulated])
    return DeviceSource(
        of: camera, device: devices.device(of: camera.id),
        watcher: needsDevices ? devices.watcher(on: loop) : nil, on: loop
    ) { SimulatedCamera(simulation, jpeg: jpeg, serial: id, on: $0).oriented(orientation) }
}

/// Opens the device of a virtual camera.
let openOutput: OpenOutput = { path, settings in
    Result { () throws(CameraError) in try V4L2Output(at: path, settings) }
}

/// The JPEG file of a simulated camera can't be used.
package struct UnusableImage: Error, CustomStringConvertible {
    let camera: String
    let path: String
    let reason: String

    package var message: String { "\(path) can't be used: \(reason)" }
    package var description: String { "cameras: \(camera): image: \(message)" }
}

/// The watcher of devices, made when the first camera needs it, and the devices that were found at the start.
package final class SharedDevices {
    private var watcher: (any DeviceList)?
    private var found: [String: FoundDevice] = [:]
    /// The paths of the devices of virtual cameras, which are no sources.
    private let outputs: Set<String>
    private let tags: [DevicePattern]
    private let namedPaths: [String]
    /// Of the last ``scan()``.
    private var problems: [DeviceProblem] = []

    /// - Parameter watcher: replaces that of the machine.
    package init(_ settings: AgentSettings, watcher: (any DeviceList)? = nil) {
        self.watcher = watcher
        (outputs, tags) = (settings.outputPaths, settings.deviceTags)
        namedPaths = settings.cameras.flatMap(\.sources).compactMap {
            if case .v4l2(let path) = $0 { path } else { nil }
        }
    }

    /// Nil when the system gives no further thread: then no device is found.
    func watcher(on loop: EventLoop) -> (any DeviceList)? {
        if watcher == nil { watcher = try? DeviceWatcher(tags: tags, outputs: outputs, on: loop) }
        return watcher
    }

    /// The devices that are present now and can be sources, with their tags. It opens each of them.
    package func scan() -> [FoundDevice] {
        let devices = DeviceScan.devices()
        problems = DeviceScan.problems(at: namedPaths, but: devices)
        return devices.without(outputs).tagged(by: tags)
    }

    /// Why cameras would not find a device if all started now, with the keys of their sources.
    package func problems(of settings: AgentSettings) -> [(key: String, message: String)] {
        let found = scan()
        if settings.servesAll { return problem.map { [("cameras", $0)] } ?? [] }
        let used = Set(
            DeviceMatches(of: settings, among: found).entries.filter { $0.used != nil }.map(\.camera))
        return settings.cameras.enumerated().filter { !used.contains($1.id) }.map { index, camera in
            let words = DeviceSelection(camera.sources, owner: camera.id).problem(among: problems)
            return ("cameras.\(index).source", "\(camera.id): \(words ?? "no such device is plugged in")")
        }
    }

    /// Why devices can't be opened, where every device is served; nil: nothing is known of such devices.
    /// It follows the watcher, once that has looked.
    var problem: String? {
        let newest = watcher.flatMap { $0.hasScanned ? $0.problems : nil } ?? problems
        return DeviceSelection([.properties(.any)], owner: "").problem(among: newest)
    }

    /// Makes a device the source of the camera with this id. It is preferred to the sources in the settings.
    func assign(_ device: FoundDevice, to camera: String) { found[camera] = device }

    func device(of camera: String) -> FoundDevice? { found[camera] }
}

/// How a camera is simulated, and its picture; nil: a generated scene.
package func simulated(
    _ camera: CameraSettings
) throws(UnusableImage) -> (SimulationSettings, jpeg: [UInt8]?) {
    guard let image = camera.image else { return (camera.simulation, nil) }
    do {
        var settings = camera.simulation
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: image)))
        let photo = try PhotoMaker().photo(
            of: bytes, fillingWidth: settings.width, height: settings.height)
        (settings.width, settings.height) = (photo.width, photo.height)
        return (settings, photo.bytes)
    } catch {
        throw UnusableImage(camera: camera.id, path: image, reason: "\(error)")
    }
}
