/// The state of `output`: a virtual camera, on which other programs see what is in view.
package struct OutputState: Sendable, Equatable, Encodable {
    package enum Word: String, Sendable, Codable {
        /// The device is being opened.
        case starting
        /// Pictures are written to the device.
        case running
        /// No program reads the device, so nothing is written.
        case idle
        /// The device can't be used; it is tried again.
        case failed
    }

    package enum Content: String, Sendable, Codable {
        case camera, black
    }

    package var state: Word
    /// The path of the device.
    var device: String
    /// The size of the pictures in pixels, and their pixel format by V4L2's four-character code; nil: the
    /// device isn't open.
    package var width: Int?
    package var height: Int?
    package var pixelFormat: String?
    /// Pictures per second.
    package var fps: Double?
    /// What the device has at the moment; nil: it isn't open.
    package var shows: Content?
    /// Whether a program reads the device; nil: the driver doesn't report it.
    package var isRead: Bool?
    /// Why the device can't be used.
    package var error: CommandError?

    private enum CodingKeys: String, CodingKey {
        case state, device, width, height, fps, shows
        case pixelFormat = "pixel_format"
        case isRead = "read"
        case error
    }

    package init(_ state: Word, device: String) {
        (self.state, self.device) = (state, device)
    }
}
