/// How the picture of a device is turned, and which part of that is left to the agent.
package struct DeviceOrientation: Sendable, Equatable {
    /// From the picture of the sensor to the picture that users see.
    package var total: Orientation
    /// From the frames of the driver to the picture that users see: what the driver does not do.
    package var remaining: Orientation

    package init(total: Orientation, remaining: Orientation) {
        (self.total, self.remaining) = (total, remaining)
    }

    /// An orientation that the agent makes alone.
    package init(byAgent total: Orientation) { self.init(total: total, remaining: total) }
}
