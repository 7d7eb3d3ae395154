/// How the picture of a device is to be turned, and mirrored after that. ``DeviceOrientation`` is what
/// becomes of it.
package struct WantedOrientation: Sendable, Equatable {
    /// Clockwise; nil: as the device reports that its sensor is mounted.
    package var quarterTurns: Int?
    /// Whether left and right are exchanged, and whether top and bottom are.
    package var isMirrored: Bool
    package var isFlipped: Bool

    package init(quarterTurns: Int?, isMirrored: Bool = false, isFlipped: Bool = false) {
        self.quarterTurns = quarterTurns
        (self.isMirrored, self.isFlipped) = (isMirrored, isFlipped)
    }

    /// - Parameter sensorRotation: how the sensor is mounted: the picture is upright when it is turned
    ///   counterclockwise by this angle, in degrees. Nil: unknown.
    package func orientation(sensorRotation: Int?) -> Orientation {
        Orientation(quarterTurns: quarterTurns ?? -(sensorRotation ?? 0) / 90)
            .then(isMirrored ? .mirrored : .upright)
            .then(isFlipped ? .flipped : .upright)
    }
}
