/// What a camera gives and what a photo is made of: a JPEG as the sensor's own encoder made it, planes of
/// samples, or H.264, which has to be decoded first.
package enum Picture: Sendable {
    /// A whole JPEG file.
    case jpeg([UInt8])
    /// Uncompressed planes.
    case planar(PlanarPicture)
    /// Video that the camera has encoded. Nothing decodes it until a picture is needed.
    case h264(H264Picture)
    /// A picture that is to be turned, which is done while a part of it is cut out and scaled.
    indirect case oriented(Picture, Orientation)

    /// The picture turned, and mirrored.
    package func oriented(_ orientation: Orientation) -> Picture {
        let (picture, all) =
            if case .oriented(let inner, let own) = self {
                (inner, own.then(orientation))
            } else {
                (self, orientation)
            }
        return all == .upright ? picture : .oriented(picture, all)
    }
}
