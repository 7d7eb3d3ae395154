/// Properties by which devices are selected. Each one that is set has to be that of the device; none set:
/// every device has them.
package struct DevicePattern: Sendable, Equatable {
    /// Every device has these properties.
    package static let any = DevicePattern()

    package var serial: String?
    package var model: String?
    package var driver: String?
    /// The place on the bus.
    package var bus: String?
    package var kind: CameraKind?
    package var position: CameraPosition?
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
