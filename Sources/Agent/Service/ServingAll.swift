package import Cameras
internal import Contract
package import Logging
package import Settings

/// A configuration that names no camera serves every camera that is found.
extension AgentSettings {
    /// Replaces the only camera by one for each found device, with the same settings and a name made from the
    /// device's model. Without a device the camera stays: it is a simulated one.
    ///
    /// - Parameter devices: remembers which device belongs to which camera.
    package mutating func serve(_ found: [FoundDevice], from devices: SharedDevices, _ logger: Logger) {
        guard !found.isEmpty, let model = cameras.first else {
            return logger.notice("no camera is plugged in: serving a simulated one until one is")
        }
        cameras = found.map { device in
            var camera = model
            camera.id = device.name(among: found)
            if found.count > 1 { camera.name = nil }
            camera.sources = [.v4l2(path: device.path)]
            devices.assign(device, to: camera.id)
            return camera
        }
    }
}

extension FoundDevice {
    /// A name for a camera's topics: made from the model, with a number if several devices have that model.
    /// No two of the devices have the same name.
    package func name(among devices: [FoundDevice]) -> String {
        let alike = devices.filter { $0.modelName == modelName }.sorted {
            ($0.serial, $0.bus) < ($1.serial, $1.bus)
        }
        let models = Set(devices.map(\.modelName))
        // The name of another model may end in a number too.
        var (number, devicesBefore) = (1, alike.firstIndex(of: self) ?? 0)
        while devicesBefore > 0 {
            number += 1
            if !models.contains("\(modelName)-\(number)") { devicesBefore -= 1 }
        }
        return modelName + (number > 1 ? "-\(number)" : "")
    }

    private var modelName: String {
        let words = model.lowercased().utf8.split { !$0.isSmallLetterOrDigit }
        let name = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-").prefix(56)
        return name.isEmpty ? "camera" : String(name)
    }
}
