internal import Cameras

/// Scales parts of pictures plane by plane. Keeps its memory from one picture to the next.
final class PlaneScaler {
    private let buffer = PlaneBuffer()
    private let resampler = Resampler()

    /// Scales each plane to the size that it has in a picture of `width` × `height` pixels with `sampling`.
    /// Chroma stays where it is over luma, wherever the window begins. Where there is no chroma and there has
    /// to be, it is neutral.
    ///
    /// - Returns: planes that stay until the next call; those that needn't be scaled are parts of the given
    ///   ones.
    func scale(_ window: Window, to sampling: Sampling, width: Int, height: Int) -> Planes {
        let room = buffer.layOut(sampling, width: width, height: height)
        func scaled(_ index: Int) -> Planes.Plane {
            let (from, to) = (window.planes[index], room[index])
            let (across, down) = window.spans(ofPlane: index, sampling, width: width, height: height)
            if across.unscaledStart(of: from.width) != nil, down.unscaledStart(of: from.height) != nil {
                return from.part(across.needed(of: from.width), down.needed(of: from.height))
            }
            resampler.resample(from, across, down, to: to)
            return to
        }
        guard let chroma = room.chroma else {
            return Planes(sampling: sampling, luma: scaled(0), chroma: nil)
        }
        guard window.planes.chroma != nil else {
            chroma.blue.fill(128)
            chroma.red.fill(128)
            return Planes(sampling: sampling, luma: scaled(0), chroma: chroma)
        }
        return Planes(sampling: sampling, luma: scaled(0), chroma: (scaled(1), scaled(2)))
    }

    /// The same in ``Sampling/yuv420``, as a picture with memory of its own.
    func picture(_ window: Window, width: Int, height: Int) -> PlanarPicture {
        PlanarPicture(sampling: .yuv420, width: width, height: height) { index, plane in
            if index > 0 && window.planes.chroma == nil { return plane.fill(128) }
            let (across, down) = window.spans(ofPlane: index, .yuv420, width: width, height: height)
            resampler.resample(window.planes[index], across, down, to: plane)
        }
    }
}
