/// A device that shows pictures to other programs: the port of a virtual camera.
///
/// It belongs to one thread, where its calls may block. Its release closes the device.
package protocol OutputDevice: AnyObject {
    /// The form of the pictures, as the driver chose it: the size may be another one than was requested.
    var format: OutputFormat { get }

    /// Whether a program reads the device. Nil: the driver doesn't report it.
    ///
    /// - Throws: ``CameraError`` when the device can't be used any more.
    func isRead() throws(CameraError) -> Bool?

    /// Shows a picture. It waits until the device takes one, for at most a second.
    ///
    /// - Parameters:
    ///   - picture: ``OutputFormat/byteCount`` bytes.
    ///   - isValid: asked immediately before the picture is given to the driver. If it says no, the picture
    ///     isn't shown.
    /// - Throws: ``CameraError`` when the device can't be used any more.
    func show(_ picture: UnsafeRawBufferPointer, ifStill isValid: () -> Bool) throws(CameraError)
}

/// What an output device is asked for.
package struct OutputRequest: Sendable, Equatable {
    /// The path of the device.
    package var path: String
    /// Pixels, even.
    package var width: Int
    package var height: Int
    /// Pictures per second.
    package var rate: Double
    /// Nil: the best one that the device has.
    package var pixels: OutputFormat.Pixels?

    package init(
        path: String, width: Int, height: Int, rate: Double, pixels: OutputFormat.Pixels? = nil
    ) {
        (self.path, self.width, self.height, self.rate, self.pixels) = (path, width, height, rate, pixels)
    }
}

/// Opens an output device. Called on the thread that then uses the device; it may block.
///
/// Throws ``CameraError/device(_:)`` with the reason, or ``CameraError/unplugged`` if there is no device.
package typealias OpenOutput =
    @Sendable (OutputRequest) -> Result<any OutputDevice, CameraError>
