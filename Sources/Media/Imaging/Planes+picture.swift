import Cameras

extension Planes {
    /// Lends the planes of a picture to `body`, without copying them.
    ///
    /// - Throws: ``ImagingError/unsupported(_:)`` when the picture has no samples, and whatever `body`
    ///   throws.
    static func of<Result>(
        _ picture: PlanarPicture, _ body: (Planes) throws(ImagingError) -> Result
    ) throws(ImagingError) -> Result {
        try picture.samples.withUnsafeBufferPointer { samples throws(ImagingError) in
            guard !samples.isEmpty, let start = samples.baseAddress else {
                throw .unsupported("one without samples")
            }
            return try body(
                Planes(
                    at: start, sampling: picture.sampling, width: picture.width, height: picture.height))
        }
    }
}
