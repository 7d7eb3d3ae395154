/// What a camera gives and what a photo is made of: a JPEG as the sensor's own encoder made it, or planes of
/// samples.
package enum Picture: Sendable {
    /// A whole JPEG file.
    case jpeg([UInt8])
    /// Uncompressed planes.
    case planar(PlanarPicture)
}
