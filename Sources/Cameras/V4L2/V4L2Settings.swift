extension V4L2Camera {
    /// What the configuration decides of a device.
    package struct Settings: Sendable {
        /// The largest frame size, in pixels, unless a request has an exact one.
        package var width: Int
        package var height: Int
        /// Frames per second.
        package var rate: Double
        /// Four-character code; nil: the best format is chosen.
        package var pixelFormat: String?
        /// The input of a device that has several; nil: the present one.
        package var input: Int?
        /// The factors of the lens's values; nil: see ``Calibration/init(minimum:maximum:)``.
        package var calibration: Calibration?
        /// The rate and range of a lens that has only a speed; nil: it is not driven.
        package var speedControl: V4L2Lens.SpeedControl?

        /// How long the stream goes on after the last request for a frame; nil: always. While it is off,
        /// other programs can stream.
        package var linger: Duration?

        /// How the picture is turned; nil: as the driver gives it, and its controls for that can be set.
        package var orientation: WantedOrientation?

        package init(
            width: Int = 1920, height: Int = 1080, rate: Double = 30, pixelFormat: String? = nil,
            input: Int? = nil, calibration: Calibration? = nil, speedControl: V4L2Lens.SpeedControl? = nil,
            linger: Duration? = .seconds(5), orientation: WantedOrientation? = nil
        ) {
            self.orientation = orientation
            (self.width, self.height, self.rate) = (width, height, rate)
            (self.pixelFormat, self.input) = (pixelFormat, input)
            (self.calibration, self.speedControl, self.linger) = (calibration, speedControl, linger)
        }

        var limits: CameraDescription.Limits {
            .init(width: width, height: height, rate: rate, pixelFormat: pixelFormat)
        }
    }
}
