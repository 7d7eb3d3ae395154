/// What a camera gives and what a photo is made of: a JPEG as the sensor's own encoder made it, planes of
/// samples, or H.264, which has to be decoded first.
package enum Picture: Sendable {
    /// A whole JPEG file.
    case jpeg([UInt8])
    /// Uncompressed planes.
    case planar(PlanarPicture)
    /// Video that the camera has encoded. Nothing decodes it until a picture is needed.
    case h264(H264Picture)
}
