/// What a camera gives and what a photo is made of: a JPEG as the sensor's own encoder made it, or planes of
/// samples.
package enum Picture: Sendable {
    /// A whole JPEG file.
    case jpeg([UInt8])
    /// Uncompressed planes.
    case planar(PlanarPicture)
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
