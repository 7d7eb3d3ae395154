internal import CTurboJPEG
package import Picture

/// Encodes planes as JPEGs, in the sampling that they have. Keeps its memory from one picture to the next.
package final class JPEGEncoder {
    /// TurboJPEG would take the fast DCT for a quality below 96. With vector instructions the accurate one
    /// costs next to nothing. The buffer is ours and large enough for the worst case, so that it needn't be
    /// allocated again.
    private static let flags = TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC

    private let handle: TurboJPEGHandle
    private let paddedLuma = PlaneBuffer()
    private var file = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

    /// - Throws: ``ImagingError/library(_:)``.
    package init() throws(ImagingError) {
        handle = try TurboJPEGHandle(tjInitCompress())
    }

    deinit {
        file.deallocate()
    }

    /// - Parameter quality: 1…100.
    /// - Returns: a baseline JPEG file, which stays until the next call, and no longer than the encoder.
    /// - Throws: ``ImagingError/library(_:)``.
    package func encode(_ planes: Planes, quality: Int) throws(ImagingError) -> UnsafeBufferPointer<UInt8> {
        let code = planes.sampling.code
        let longest = Int(tjBufSize(Int32(planes.width), Int32(planes.height), code))
        if longest > file.count {
            file.deallocate()
            file = .allocate(capacity: longest)
        }
        let luma = luma(of: planes)
        var sources = [Optional(luma.base), planes.chroma?.blue.base, planes.chroma?.red.base]
        var strides = [luma, planes[1], planes[2]].map { Int32($0.stride) }
        var start = file.baseAddress
        var length = UInt(file.count)
        let result = tjCompressFromYUVPlanes(
            handle.pointer, &sources, Int32(planes.width), &strides, Int32(planes.height), code,
            &start, &length, Int32(quality), Self.flags)
        guard result == 0 else { throw .library(handle.lastWords) }
        return UnsafeBufferPointer(rebasing: file.prefix(Int(length)))
    }

    /// The luma plane as TurboJPEG reads it: up to the end of the last chroma sample, even if that lies
    /// outside the picture. Only a picture of an odd size is copied, and its last column and row repeated.
    private func luma(of planes: Planes) -> Planes.Plane {
        let luma = planes.luma
        let (columns, rows) = (planes.sampling.columns, planes.sampling.rows)
        let width = (luma.width + columns - 1) / columns * columns
        let height = (luma.height + rows - 1) / rows * rows
        if width == luma.width && height == luma.height { return luma }

        let padded = paddedLuma.layOut(.gray, width: width, height: height).luma
        for row in 0..<height {
            let from = luma.base + min(row, luma.height - 1) * luma.stride
            let to = padded.target + row * padded.stride
            to.update(from: from, count: luma.width)
            (to + luma.width).update(repeating: from[luma.width - 1], count: width - luma.width)
        }
        return padded
    }
}
