/// How the colours of a photo or a movie are changed, for cameras that have no such effects (V4L2's
/// `V4L2_CID_COLORFX`) of their own. Samples are full-range, as JPEG has them.
package enum Effect: String, Sendable, CaseIterable {
    /// The picture as it is.
    case none
    /// Shades of gray: both chroma planes are 128.
    case mono
    /// Shades of brown: luma as it is, blue difference 108, red difference 148.
    case sepia
    /// Every sample `v` becomes `255 - v`: dark is light, and each colour its complement.
    case negative
    /// Few flat colours: luma goes to the nearest below of four levels (0, 85, 170, 255, a quarter of the
    /// range each), chroma to the nearest multiple of 32, so that gray stays gray.
    case posterise
}
