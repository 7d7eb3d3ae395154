package import Contract
package import Settings

/// A camera's identity and abilities.
package struct CameraDescription: Sendable, Equatable {
    /// A frame format that the camera offers.
    package struct Format: Sendable, Equatable {
        /// The four-character code of V4L2's pixel format.
        package var pixelFormat: String
        package var width: Int
        package var height: Int
        /// Frames per second.
        package var rates: [Double]
        /// If the camera takes any rate up to the fastest: the slowest one; nil: it has only ``rates``.
        var slowestRate: Double?
        /// The other sizes, of which this format has the largest; nil: there is only this size.
        package var range: SizeRange?

        package init(
            pixelFormat: String, width: Int, height: Int, rates: [Double], slowestRate: Double? = nil,
            range: SizeRange? = nil
        ) {
            (self.pixelFormat, self.width, self.height) = (pixelFormat, width, height)
            (self.rates, self.slowestRate, self.range) = (rates, slowestRate, range)
        }
    }

    /// Sizes from a smallest one in steps, in pixels.
    package struct SizeRange: Sendable, Equatable {
        var minWidth: Int
        var minHeight: Int
        var widthStep: Int
        var heightStep: Int

        /// - Note: A step of 0, which some drivers report, counts as 1.
        init(minWidth: Int = 2, minHeight: Int = 2, widthStep: Int = 2, heightStep: Int = 2) {
            (self.minWidth, self.minHeight) = (minWidth, minHeight)
            (self.widthStep, self.heightStep) = (max(1, widthStep), max(1, heightStep))
        }
    }

    /// A part of the device that zooms before a frame is made.
    package typealias Actuator = CameraInfo.Actuator

    package var model: String
    /// The place on the bus where it is plugged in.
    package var bus: String
    package var serial: String
    /// The lens's largest factor; its smallest is 1. 1: it does not zoom.
    package var opticalMax: Double
    /// The lens's factor when it was last read.
    package var optical: Double
    package var formats: [Format]
    /// H.264 that the camera gives beside its frames.
    var videoFormats: [Format] = []
    /// The limits (size, rate, pixel format) by which ``mode(for:rate:)`` chooses among ``formats``.
    var limits: DeviceSettings
    /// The parts that zoom, in optical order; ``opticalMax`` is the product of their factors.
    package var actuators: [Actuator]
    /// Where the camera points and what kind it is, as the device or the configuration of its tags has it.
    package var position: CameraPosition?
    package var kind: CameraKind?
    /// Nil: the configuration has none.
    package var orientation: DeviceOrientation?
    /// Whether ``formats`` have width and height exchanged, compared with ``limits`` and the named qualities.
    var sidesAreSwapped = false

    package init(
        model: String, bus: String, serial: String, opticalMax: Double, optical: Double, formats: [Format],
        actuators: [Actuator], limits: DeviceSettings = .standard
    ) {
        (self.model, self.bus, self.serial) = (model, bus, serial)
        (self.opticalMax, self.optical) = (opticalMax, optical)
        (self.formats, self.actuators, self.limits) = (formats, actuators, limits)
    }
}
