internal import Cameras
internal import Configuration
internal import Logging
internal import LoopThread
internal import Settings
internal import V4L2

/// Without a word about cameras in the configuration, every one that is found is served, under a name made of its model's.
extension Configuration {
    /// The cameras that are plugged in; when there are none, the simulated one stands in.
    func cameras(
        of found: [FoundDevice], _ devices: SharedDevices, _ logger: Logger
    ) throws -> [(CameraSettings, (EventLoop) -> any CameraSource)] {
        guard servesAll, !found.isEmpty, let model = cameras.first else {
            if servesAll { logger.notice("no camera is plugged in: a simulated one stands in until there is") }
            return try cameras.map { ($0.cameraSettings, try $0.source(devices)) }
        }
        var alike = model
        alike.sources = []
        return found.map { device in
            var settings = alike.cameraSettings
            settings.id = device.name(among: found)
            return (settings, alike.source(of: device, devices))
        }
    }
}

extension FoundDevice {
    /// A name for a camera's topics: the model's, with a number where there are several of it.
    func name(among devices: [FoundDevice]) -> String {
        let alike = devices.filter { $0.modelName == modelName }.sorted {
            ($0.serial, $0.bus) < ($1.serial, $1.bus)
        }
        let number = (alike.firstIndex(of: self) ?? 0) + 1
        return modelName + (number > 1 ? "-\(number)" : "")
    }

    private var modelName: String {
        let words = model.lowercased().utf8.split { !Self.isNameByte($0) }
        let name = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-").prefix(56)
        return name.isEmpty ? "camera" : String(name)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
