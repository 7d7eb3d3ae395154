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
    func turn(_ picture: PlanarPicture, by orientation: Orientation) -> PlanarPicture {
        // 4:2:2 would need another name with its sides exchanged.
        guard orientation != .upright, picture.sampling.transposed == picture.sampling else { return picture }
        func turned(_ plane: PlanarPicture.Plane) -> PlanarPicture.Plane {
            let size = orientation.size(plane.width, plane.height)
            let samples = [UInt8](unsafeUninitializedCapacity: size.width * size.height) { memory, count in
                count = size.width * size.height
                plane.samples.withUnsafeBufferPointer { samples in
                    guard let from = samples.baseAddress, let to = memory.baseAddress else { return }
                    turn(
                        Planes.Plane(
                            base: from, stride: plane.width, width: plane.width, height: plane.height),
                        by: orientation,
                        to: Planes.Plane(base: to, stride: size.width, width: size.width, height: size.height)
                    )
                }
            }
            return PlanarPicture.Plane(width: size.width, height: size.height, samples: samples)
        }
        return PlanarPicture(
            sampling: picture.sampling, luma: turned(picture.luma),
            blueDifference: turned(picture.blueDifference), redDifference: turned(picture.redDifference))
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
