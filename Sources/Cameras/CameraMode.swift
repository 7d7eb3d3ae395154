/// The format and rate of a camera's frames.
package struct CameraMode: Sendable, Equatable {
    /// The four-character code of V4L2's pixel format.
    package var pixelFormat: String
    /// In pixels.
    package var width: Int
    package var height: Int
    /// Frames per second.
    package var rate: Double

    package init(pixelFormat: String, width: Int, height: Int, rate: Double) {
        (self.pixelFormat, self.width, self.height) = (pixelFormat, width, height)
        self.rate = rate
    }
}

extension CameraDescription.Format {
    /// The mode at a rate, in frames per second.
    func mode(rate: Double) -> CameraMode {
        CameraMode(pixelFormat: pixelFormat, width: width, height: height, rate: rate)
    }
}
