internal import CTurboJPEG
package import Picture

/// Decodes JPEGs to planes, in the sampling that they have. Keeps its memory from one picture to the next.
package final class JPEGDecoder {
    /// A warning is a failure, because what follows it is gray or garbled. So is a progressive JPEG of more
    /// than 500 scans, which takes minutes and has no other purpose. The DCT is TurboJPEG's default, the
    /// accurate one.
    private static let flags = TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS

    private let buffer = PlaneBuffer()

    package init() {}

    /// Decodes the whole picture.
    ///
    /// - Parameters:
    ///   - header: of the same bytes.
    ///   - reduction: 1, 2, 4 or 8: the picture is made that many times smaller, sides rounded up, as a part
    ///     of the decoding, which then takes less time.
    /// - Returns: planes that stay until the next call, and no longer than the decoder.
    /// - Throws: ``ImagingError/damaged(_:)``, ``ImagingError/library(_:)``.
    package func decode(_ bytes: [UInt8], header: JPEGHeader, reducedBy reduction: Int = 1)
        throws(ImagingError) -> Planes
    {
        let handle = try TurboJPEGHandle(tjInitDecompress())
        let width = (header.width + reduction - 1) / reduction
        let height = (header.height + reduction - 1) / reduction
        let planes = buffer.layOut(header.sampling, width: width, height: height)
        var targets: [UnsafeMutablePointer<UInt8>?] = (0..<3).map { planes[$0].target }
        var strides = (0..<3).map { Int32(planes[$0].stride) }
        let result = tjDecompressToYUVPlanes(
            handle.pointer, bytes, UInt(bytes.count), &targets, Int32(width), &strides, Int32(height),
            Self.flags)
        guard result == 0 else { throw .damaged(handle.lastWords) }
        return planes
    }
}
