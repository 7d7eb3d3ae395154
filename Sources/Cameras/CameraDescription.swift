/// What a camera is and can do.
package struct CameraDescription: Sendable, Equatable {
    /// One way in which it gives pictures.
    package struct Format: Sendable, Equatable {
        /// The four letters of V4L2's pixel format.
        package var pixelFormat: String
        package var width: Int
        package var height: Int
        /// Frames per second.
        package var rates: [Double]
        /// Whether the size is the greatest of many.
        package var isRange: Bool

        package init(pixelFormat: String, width: Int, height: Int, rates: [Double], isRange: Bool = false) {
            (self.pixelFormat, self.width, self.height) = (pixelFormat, width, height)
            (self.rates, self.isRange) = (rates, isRange)
        }
    }

    /// One part of what zooms before a frame is made.
    package struct Actuator: Sendable, Equatable {
        /// `absolute` (a motor), `continuous` (a motor without a position), `selection` (the sensor's crop) or `simulated`.
        package var kind: String
        /// Its longest factor.
        package var max: Double

        package init(kind: String, max: Double) { (self.kind, self.max) = (kind, max) }
    }

    package var model: String
    /// Where it is plugged in.
    package var bus: String
    package var serial: String
    /// The lens's longest factor; its shortest is 1. 1: a lens that doesn't zoom.
    package var opticalMax: Double
    /// Where the lens is.
    package var optical: Double
    package var formats: [Format]
    /// What zooms, in the order in which it comes; ``opticalMax`` is the product.
    package var actuators: [Actuator]

    package init(
        model: String, bus: String, serial: String, opticalMax: Double, optical: Double, formats: [Format],
        actuators: [Actuator]
    ) {
        (self.model, self.bus, self.serial) = (model, bus, serial)
        (self.opticalMax, self.optical) = (opticalMax, optical)
        (self.formats, self.actuators) = (formats, actuators)
    }
}
