/// Properties by which devices are selected. Each one that is set has to be that of the device; none set:
/// every device has them.
package struct DevicePattern: Sendable, Equatable {
    package var serial: String?
    package var model: String?
    package var driver: String?
    /// The place on the bus.
    package var bus: String?
    package var kind: CameraKind?
    package var position: CameraPosition?

    package init(
        serial: String? = nil, model: String? = nil, driver: String? = nil, bus: String? = nil,
        kind: CameraKind? = nil, position: CameraPosition? = nil
    ) {
        (self.serial, self.model, self.driver, self.bus) = (serial, model, driver, bus)
        (self.kind, self.position) = (kind, position)
    }
}

/// The kinds of cameras, as phones have them.
package enum CameraKind: String, CaseIterable, Sendable {
    case wide, ultrawide, tele, dual
    /// Of two cameras, the wide and the ultrawide one.
    case dualWide = "dual_wide"
    case triple, depth, infrared
}

/// Where a camera points, seen from the user of the machine.
package enum CameraPosition: String, CaseIterable, Sendable {
    /// To the user.
    case front
    case back
    /// Not fixed to the machine.
    case external
}

/// What the configuration states of the devices with some properties.
package struct DeviceTagSettings: Sendable, Equatable {
    /// By serial number, model, driver or place on the bus: at least one of them.
    package var devices: DevicePattern
    package var kind: CameraKind?
    package var position: CameraPosition?

    package init(devices: DevicePattern, kind: CameraKind? = nil, position: CameraPosition? = nil) {
        (self.devices, self.kind, self.position) = (devices, kind, position)
    }
}
