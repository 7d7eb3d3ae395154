package import Settings

/// How the picture of a device is turned, and which part of that is left to the agent.
package struct DeviceOrientation: Sendable, Equatable {
    /// From the picture of the sensor to the picture that users see.
    package var total: Orientation
    /// From the frames of the driver to the picture that users see: what the driver does not do.
    package var remaining: Orientation
}

extension OrientationSettings {
    /// The orientation of a simulated camera, which the agent makes alone; nil: none is configured.
    package var byAgent: DeviceOrientation? {
        orientation(sensorRotation: nil).map { DeviceOrientation(total: $0, remaining: $0) }
    }

    /// The configured orientation of a device; nil: see ``isSet``.
    ///
    /// - Parameter sensorRotation: how the sensor is mounted: the picture is upright when it is turned
    ///   counterclockwise by this angle, in degrees. Nil: unknown.
    func orientation(sensorRotation: Int?) -> Orientation? {
        guard isSet else { return nil }
        let turned = Orientation(
            quarterTurns: (rotation ?? RotationSetting.none).quarterTurns ?? -(sensorRotation ?? 0) / 90)
        return switch mirror {
        case nil, .some(.none): turned
        case .horizontal: turned.then(.mirrored)
        case .vertical: turned.then(.flipped)
        }
    }
}
