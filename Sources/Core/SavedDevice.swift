package import Contract

/// What `info` has of a device, as it was when the device was open last: for a run that does not open it, or
/// does not find it.
package struct SavedDevice: Sendable, Equatable, Codable {
    var model: String
    var bus: String
    var serial: String
    /// As the device or a tag of the configuration has them.
    var position: String?
    var kind: String?
    var orientation: CameraInfo.Orientation?
    /// What zooms in the device, in this order.
    package var actuators: [CameraInfo.Actuator]
    /// The largest factor of its lens.
    package var opticalMax: Double
    var formats: [CameraInfo.Format]
    var qualities: [String]
    var controls: [CameraInfo.ControlDescriptor]
    /// Nil: it has no privacy control.
    var privacy: CameraInfo.Privacy?
}

extension SavedDevice {
    /// Whether it can be published: with factors above 0.
    var isValid: Bool { opticalMax > 0 && actuators.allSatisfy { $0.max > 0 } }
}
