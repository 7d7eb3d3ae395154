/// The state of `session`: quality, size and rate of the frames.
package struct SessionState: Sendable, Equatable, Codable {
    /// The requested name that was applied.
    var quality: String
    var width: Int
    var height: Int
    /// Frames per second, as the driver reports it.
    var rate: Double
    var pixelFormat: String

    private enum CodingKeys: String, CodingKey {
        case quality, width, height
        case rate = "fps"
        case pixelFormat = "pixel_format"
    }

    package init(quality: String, width: Int, height: Int, rate: Double, pixelFormat: String) {
        (self.quality, self.width, self.height) = (quality, width, height)
        (self.rate, self.pixelFormat) = (rate, pixelFormat)
    }
}
