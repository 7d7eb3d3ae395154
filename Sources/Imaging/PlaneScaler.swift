internal import CYUV
internal import Picture

/// Scales pictures plane by plane. Keeps its memory from one picture to the next.
///
/// libyuv puts the first and the last sample of a row on the first and the last of the scaled row, in luma
/// and chroma alike. Against the field's usual sample centres, chroma and luma are so apart by half a chroma
/// sample at the edges at most, and by nothing in the middle.
final class PlaneScaler {
    /// libyuv's box filter multiplies by `65536 / samples in the box`, rounded down: with larger boxes than
    /// this each way the picture gets visibly darker, and past 256 its sums overflow (seen in libyuv 1857).
    private static let largestBox = 16

    private let buffer = PlaneBuffer()

    /// Scales each plane to the size that it has in a picture of `width` × `height` pixels with `sampling`:
    /// with a bilinear filter up, and down to a half; with a box filter below that. Where there is no chroma
    /// and there has to be, it is neutral.
    ///
    /// - Parameter copies: whether planes that needn't be scaled are copied. Otherwise they are the given
    ///   ones.
    /// - Returns: planes that stay until the next call.
    func scale(_ planes: Planes, to sampling: Sampling, width: Int, height: Int, copies: Bool) -> Planes {
        let room = buffer.layOut(sampling, width: width, height: height)
        let luma = scale(planes.luma, to: room.luma, copies)
        guard let to = room.chroma else { return Planes(sampling: sampling, luma: luma, chroma: nil) }
        guard let from = planes.chroma else {
            to.blue.fill(128)
            to.red.fill(128)
            return Planes(sampling: sampling, luma: luma, chroma: to)
        }
        return Planes(
            sampling: sampling, luma: luma,
            chroma: (scale(from.blue, to: to.blue, copies), scale(from.red, to: to.red, copies)))
    }

    private func scale(_ from: Planes.Plane, to: Planes.Plane, _ copies: Bool) -> Planes.Plane {
        if !copies && from.width == to.width && from.height == to.height { return from }
        let isVerySmall =
            from.width > to.width * Self.largestBox || from.height > to.height * Self.largestBox
        // Planes of the same size are copied by this too.
        ScalePlane(
            from.base, Int32(from.stride), Int32(from.width), Int32(from.height),
            to.target, Int32(to.stride), Int32(to.width), Int32(to.height),
            // Given the box filter, libyuv itself takes the bilinear one down to a half.
            isVerySmall ? kFilterBilinear : kFilterBox)
        return to
    }
}
