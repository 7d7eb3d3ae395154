internal import Cameras

extension V4L2Camera {
    /// What somebody decided of a device.
    package struct Settings: Sendable {
        /// What the pictures may measure at the most, in pixels.
        package var width: Int
        package var height: Int
        /// Frames per second.
        package var rate: Double
        /// Four letters; nil: the best there is.
        package var pixelFormat: String?
        /// Of a device that has several; nil: as it is.
        package var input: Int?
        /// What the lens's units mean; nil: the factor is the value over the least one.
        package var calibration: Calibration?
        /// What a lens that has only a speed does; nil: nobody knows, and it isn't driven.
        package var drift: V4L2Lens.Drift?

        /// How long the stream goes on when nobody wants a frame any more; nil: for ever. While it is off, others can stream.
        package var linger: Duration?

        package init(
            width: Int = 1920, height: Int = 1080, rate: Double = 30, pixelFormat: String? = nil,
            input: Int? = nil, calibration: Calibration? = nil, drift: V4L2Lens.Drift? = nil,
            linger: Duration? = .seconds(5)
        ) {
            (self.width, self.height, self.rate) = (width, height, rate)
            (self.pixelFormat, self.input) = (pixelFormat, input)
            (self.calibration, self.drift, self.linger) = (calibration, drift, linger)
        }

        var limits: CameraDescription.Limits {
            .init(width: width, height: height, rate: rate, pixelFormat: pixelFormat)
        }
    }
}
