package import Picture

extension Planes {
    /// The part of the picture in the rectangle, without moving a sample.
    ///
    /// The rectangle starts on a chroma sample, as ``PixelRectangle`` sees to.
    func cropped(to rectangle: PixelRectangle) -> Planes {
        let cropped = planes.enumerated().map { index, plane in
            let columns = index == 0 ? 1 : sampling.columns
            let rows = index == 0 ? 1 : sampling.rows
            let size = sampling.size(ofPlane: index, width: rectangle.width, height: rectangle.height)
            return Plane(
                base: plane.base + rectangle.y / rows * plane.stride + rectangle.x / columns,
                stride: plane.stride, width: size.width, height: size.height)
        }
        return Planes(
            sampling: sampling, width: rectangle.width, height: rectangle.height, planes: cropped)
    }

    /// Lends the planes of a picture to `body`, without copying them.
    ///
    /// - Throws: ``ImagingError/unsupported(_:)`` when the planes' sizes don't agree, and whatever `body`
    ///   throws.
    package static func of<Result>(
        _ picture: PlanarPicture, _ body: (Planes) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
        let sampling = Sampling(picture.subsampling)
        let chroma = sampling.size(ofPlane: 1, width: picture.width, height: picture.height)
        let sources = [picture.luma, picture.blueDifference, picture.redDifference]
        guard picture.width > 0, picture.height > 0,
            sources.dropFirst().allSatisfy({ $0.width == chroma.width && $0.height == chroma.height })
        else { throw .unsupported("one whose planes have sizes that don't agree") }

        return try sources[0].samples.withUnsafeBufferPointer { luma throws(ImagingError) in
            try sources[1].samples.withUnsafeBufferPointer { blue throws(ImagingError) in
                try sources[2].samples.withUnsafeBufferPointer { red throws(ImagingError) in
                    let planes = zip([luma, blue, red], sources).compactMap { samples, source in
                        samples.baseAddress.map {
                            Plane(base: $0, stride: source.width, width: source.width, height: source.height)
                        }
                    }
                    return try body(
                        Planes(
                            sampling: sampling, width: picture.width, height: picture.height, planes: planes))
                }
            }
        }
    }
}
