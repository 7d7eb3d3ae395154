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
        /// Where any rate up to the fastest can be had: the slowest; nil: there are only ``rates``.
        package var slowestRate: Double?
        /// What other sizes there are, of which this is the greatest; nil: there is only this one.
        package var range: SizeRange?

        /// Whether the size is the greatest of many.
        package var isRange: Bool { range != nil }

        package init(
            pixelFormat: String, width: Int, height: Int, rates: [Double], slowestRate: Double? = nil,
            range: SizeRange? = nil
        ) {
            (self.pixelFormat, self.width, self.height) = (pixelFormat, width, height)
            (self.rates, self.slowestRate, self.range) = (rates, slowestRate, range)
        }
    }

    /// Sizes from a least one by steps, in pixels.
    package struct SizeRange: Sendable, Equatable {
        package var leastWidth: Int
        package var leastHeight: Int
        package var widthStep: Int
        package var heightStep: Int

        /// - Note: A step of 0, which some drivers give, is one of 1.
        package init(leastWidth: Int = 2, leastHeight: Int = 2, widthStep: Int = 2, heightStep: Int = 2) {
            (self.leastWidth, self.leastHeight) = (leastWidth, leastHeight)
            (self.widthStep, self.heightStep) = (max(1, widthStep), max(1, heightStep))
        }
    }

    /// What somebody decided of the pictures that nobody asked for by their size.
    package struct Limits: Sendable, Equatable {
        /// What they may measure at the most, in pixels.
        package var width: Int
        package var height: Int
        /// Frames per second, when nobody asks for others.
        package var rate: Double
        /// Four letters; nil: the best there is. It rules pictures that are asked for by their size, too.
        package var pixelFormat: String?

        package init(
            width: Int = 1920, height: Int = 1080, rate: Double = 30, pixelFormat: String? = nil
        ) {
            (self.width, self.height) = (width, height)
            (self.rate, self.pixelFormat) = (rate, pixelFormat)
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
    /// What is chosen among ``formats`` by ``mode(for:rate:)``.
    package var limits: Limits
    /// What zooms, in the order in which it comes; ``opticalMax`` is the product.
    package var actuators: [Actuator]

    package init(
        model: String, bus: String, serial: String, opticalMax: Double, optical: Double, formats: [Format],
        actuators: [Actuator], limits: Limits = Limits()
    ) {
        (self.model, self.bus, self.serial) = (model, bus, serial)
        (self.opticalMax, self.optical) = (opticalMax, optical)
        (self.formats, self.actuators, self.limits) = (formats, actuators, limits)
    }
}
