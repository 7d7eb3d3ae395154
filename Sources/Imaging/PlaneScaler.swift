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

    /// Scales with a bilinear filter up, and down to a half; with a box filter below that.
    ///
    /// - Returns: `planes` itself when it has the size; otherwise planes that stay until the next call.
    func scale(_ planes: Planes, width: Int, height: Int) -> Planes {
        if planes.width == width && planes.height == height { return planes }
        let scaled = buffer.layOut(planes.sampling, width: width, height: height)
        for ((from, to), target) in zip(zip(planes.planes, scaled.planes), buffer.targets) {
            let isVerySmall =
                from.width > to.width * Self.largestBox || from.height > to.height * Self.largestBox
            ScalePlane(
                from.base, Int32(from.stride), Int32(from.width), Int32(from.height),
                target, Int32(to.stride), Int32(to.width), Int32(to.height),
                // Given the box filter, libyuv itself takes the bilinear one down to a half.
                isVerySmall ? kFilterBilinear : kFilterBox)
        }
        return scaled
    }
}
