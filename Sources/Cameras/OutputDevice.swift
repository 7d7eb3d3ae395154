package import Settings

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

/// Opens the device of a virtual camera. Called on the thread that then uses the device; it may block.
///
/// Throws ``CameraError/device(_:)`` with the reason, or ``CameraError/unplugged`` if there is no device.
package typealias OpenOutput =
    @Sendable (_ path: String, OutputSettings) -> Result<any OutputDevice, CameraError>
