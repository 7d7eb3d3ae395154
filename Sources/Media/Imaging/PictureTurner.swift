internal import CYUV
internal import Cameras

/// Turns and mirrors pictures, plane by plane. Keeps its memory from one picture to the next.
final class PictureTurner {
    private let buffer = PlaneBuffer()
    private let between = Scratch()

    /// - Parameter planes: of a sampling that has a transposed one, if the sides are exchanged.
    /// - Returns: planes that stay until the next call; the given ones if there is nothing to turn.
    func turn(_ planes: Planes, by orientation: Orientation) -> Planes {
        guard orientation != .upright, let sampling = planes.sampling.transposed(for: orientation) else {
            return planes
        }
        let size = orientation.size(planes.width, planes.height)
        let turned = buffer.layOut(sampling, width: size.width, height: size.height)
        for index in 0..<planes.count { turn(planes[index], by: orientation, to: turned[index]) }
        return turned
    }

    /// The same, of a picture with memory of its own.
    func turn(_ picture: PlanarPicture, by orientation: Orientation) throws(ImagingError) -> PlanarPicture {
        // 4:2:2 would need another name with its sides exchanged.
        guard orientation != .upright, picture.sampling.transposed == picture.sampling else { return picture }
        let size = orientation.size(picture.width, picture.height)
        return try Planes.of(picture) { planes in
            PlanarPicture(sampling: picture.sampling, width: size.width, height: size.height) {
                turn(planes[$0], by: orientation, to: $1)
            }
        }
    }

    private func turn(_ from: Planes.Plane, by orientation: Orientation, to: Planes.Plane) {
        let (width, height) = (Int32(from.width), Int32(from.height))
        let (stride, targetStride) = (Int32(from.stride), Int32(to.stride))
        switch (orientation.quarterTurns, orientation.isMirrored) {
        case (0, false): CopyPlane(from.base, stride, to.target, targetStride, width, height)
        case (0, true): MirrorPlane(from.base, stride, to.target, targetStride, width, height)
        case (1, false): RotatePlane90(from.base, stride, to.target, targetStride, width, height)
        case (2, false): RotatePlane180(from.base, stride, to.target, targetStride, width, height)
        // Mirrored after a half turn: top and bottom are exchanged, which libyuv does for negative heights.
        case (2, true): CopyPlane(from.base, stride, to.target, targetStride, width, -height)
        case (3, false): RotatePlane270(from.base, stride, to.target, targetStride, width, height)
        default:
            // Turned into a plane of its own, and mirrored from there.
            let turned = between.plane(width: to.width, height: to.height)
            turn(from, by: Orientation(quarterTurns: orientation.quarterTurns), to: turned)
            turn(turned, by: .mirrored, to: to)
        }
    }
}

extension Sampling {
    /// The sampling before or after an orientation; nil: there is none.
    func transposed(for orientation: Orientation) -> Sampling? {
        orientation.swapsSides ? transposed : self
    }
}
