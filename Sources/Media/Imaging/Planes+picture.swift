import Cameras

extension Planes {
    /// Lends the planes of a picture to `body`, without copying them.
    ///
    /// - Throws: ``ImagingError/unsupported(_:)`` when the planes' sizes don't agree, and whatever `body`
    ///   throws.
    static func of<Result>(
        _ picture: PlanarPicture, _ body: (Planes) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
        let sampling = picture.sampling
        let size = sampling.size(ofPlane: 1, width: picture.width, height: picture.height)
        let (blue, red) = (picture.blueDifference, picture.redDifference)
        guard picture.width > 0, picture.height > 0, (blue.width, blue.height) == size,
            (red.width, red.height) == size
        else { throw .unsupported("one whose planes have sizes that don't agree") }

        return try Plane.of(picture.luma) { luma throws(ImagingError) in
            try Plane.of(blue) { blue throws(ImagingError) in
                try Plane.of(red) { red throws(ImagingError) in
                    try body(Planes(sampling: sampling, luma: luma, chroma: (blue, red)))
                }
            }
        }
    }
}

extension Planes.Plane {
    fileprivate static func of<Result>(
        _ plane: PlanarPicture.Plane, _ body: (Planes.Plane) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
        try plane.samples.withUnsafeBufferPointer { samples throws(ImagingError) in
            guard let base = samples.baseAddress else { throw .unsupported("one without samples") }
            return try body(
                Planes.Plane(base: base, stride: plane.width, width: plane.width, height: plane.height))
        }
    }
}
