/// How a camera's picture is turned, and mirrored after that.
package struct OrientationSettings: Sendable, Equatable {
    package var rotation: RotationSetting?
    package var mirror: MirrorSetting?

    /// Whether the configuration determines the orientation. Otherwise the picture is as the device gives it,
    /// and the device's own controls for flips can be set.
    package var isSet: Bool { rotation != nil || mirror != nil }
}

/// A rotation of the picture, clockwise in degrees.
package enum RotationSetting: String, CaseIterable, Sendable {
    case none = "0"
    case quarter = "90"
    case half = "180"
    case threeQuarters = "270"
    /// As the device reports that its sensor is mounted; 0 if it reports nothing.
    case auto

    /// Quarter turns clockwise; nil: see ``auto``.
    package var quarterTurns: Int? { Int(rawValue).map { $0 / 90 } }
}

package enum MirrorSetting: String, CaseIterable, Sendable {
    case none
    /// Left and right are exchanged.
    case horizontal
    /// Top and bottom are exchanged.
    case vertical
}
