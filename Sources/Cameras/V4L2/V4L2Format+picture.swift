internal import Base
internal import CV4L2

/// What a driver delivers becomes a picture here and nowhere else: after the checks of what the camera says
/// about it.
///
/// Size and format are the camera's word, and so is the header of a JPEG. A frame is refused if it has fewer
/// bytes than its format says, or a JPEG larger than the mode: libv4lconvert would read beyond the buffer,
/// and libjpeg-turbo would take gigabytes.
extension V4L2Format {
    /// The lengths of a side, in pixels, of which pictures are made. libv4lconvert reads beyond the buffers
    /// of Bayer patterns of a few pixels, and its arithmetic is in `int`.
    private static let sides = 16...16_384

    /// Encoders of JPEG round sizes up to whole blocks, of at most 32 × 32 pixels.
    private static let blockSide = 32

    /// The formats that libv4lconvert makes 8-bit samples of in the buffer itself. A frame may be converted
    /// again, for another request.
    private static let overwritten: Set = [
        "pBAA", "pGAA", "pgAA", "pRAA", "BG10", "GB10", "BA10", "RG10", "BYR2", "GB16", "GR16", "RG16",
    ]

    /// Makes a picture of a frame. Of a JPEG only the header is read.
    ///
    /// - Parameter frame: the bytes that the driver says it has filled, of each plane of memory.
    /// - Throws: ``CameraError/device(_:)`` when the frame is not what the format says.
    func picture(of frame: [UnsafeBufferPointer<UInt8>]) throws(CameraError) -> Picture {
        try checkMemory()
        guard frame.count == memory.count else {
            throw .device(
                "the frame has \(counted(frame.count)); its format \(words) has \(memory.count)")
        }
        guard isJPEG else { return .planar(try planar(frame)) }
        let jpeg = Array(frame[0])
        // A JPEG without a size that can be read is damaged: libjpeg-turbo refuses it too, with the reason.
        if let header = JPEGFrameHeader(jpeg),
            header.width > Self.rounded(width) || header.height > Self.rounded(height)
        {
            throw .device(
                "the camera sent a JPEG of \(header.width)×\(header.height) pixels in the mode \(words)")
        }
        return .jpeg(jpeg)
    }

    private static func rounded(_ side: Int) -> Int { (side + blockSide - 1) / blockSide * blockSide }

    private func planar(_ frame: [UnsafeBufferPointer<UInt8>]) throws(CameraError) -> PlanarPicture {
        let (layout, rows) = try rows(of: frame)
        let size = width * height * 3 / 2
        var reason = cv4l2_reason()
        var failed: Int32 = 0
        let samples = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            if let components = layout.components {
                // Planes of luma and chroma are read where they are.
                let parts = components.map { cSamples(of: $0, frame, rows) }
                cv4l2_gather(parts, UInt32(width), UInt32(height), isFullRange, buffer.baseAddress)
            } else {
                failed = withoutPadding(frame[0], rows) { frame in
                    var format = forC(stride: rows[0].length, size: frame.count)
                    return cv4l2_convert(&format, frame.baseAddress, frame.count, buffer.baseAddress, &reason)
                }
            }
            count = failed == 0 ? size : 0
        }
        if failed != 0 {
            throw .device("\(letters) cannot be converted: \(String(ofC: reason.words))")
        }
        return PlanarPicture(sampling: .yuv420, width: width, height: height, samples: samples)
    }

    private func cSamples(
        of component: PixelLayout.Component, _ frame: [UnsafeBufferPointer<UInt8>], _ rows: [PixelLayout.Rows]
    ) -> cv4l2_samples {
        let rows = rows[component.plane]
        return cv4l2_samples(
            start: frame[rows.memory].baseAddress.map { $0 + rows.start + component.offset },
            stride: rows.stride, step: UInt32(component.step), rows: UInt32(rows.count))
    }

    /// Checks that the driver describes as many planes of memory as the pixel format has.
    func checkMemory() throws(CameraError) {
        // Of other formats no picture is made.
        guard let wanted = isJPEG || isH264 ? 1 : PixelLayout(of: letters)?.memoryPlanes,
            memory.count != wanted
        else {
            return
        }
        throw .device("the driver describes \(words) with \(counted(memory.count)), not \(wanted)")
    }

    /// Where the rows are in a frame that has all of them.
    private func rows(
        of frame: [UnsafeBufferPointer<UInt8>]
    ) throws(CameraError) -> (PixelLayout, [PixelLayout.Rows]) {
        guard let layout = PixelLayout(of: letters) else {
            throw .device("\(letters) cannot be converted: the format is not supported")
        }
        guard width.isMultiple(of: 2), height.isMultiple(of: 2) else {
            throw .device("\(width)×\(height) cannot be converted: width and height must be even")
        }
        guard Self.sides.contains(width), Self.sides.contains(height) else {
            let (least, most) = (Self.sides.lowerBound, Self.sides.upperBound)
            throw .device("\(width)×\(height) cannot be converted: a side has \(least) to \(most) pixels")
        }
        let strides = memory.map(\.stride)
        guard let rows = layout.rows(width: width, height: height, strides: strides) else {
            let bytes = strides.map { "\($0)" }.joined(separator: " and ")
            throw .device(
                "the rows of the frame are shorter than its format says: \(words) in \(bytes) bytes")
        }
        for (place, needed) in rows.lengths.enumerated() {
            let count = frame[place].count
            guard count >= needed else {
                let which = frame.count > 1 ? " in plane \(place + 1)" : ""
                throw .device(
                    "the frame is shorter than its format says: \(words) needs \(needed) bytes\(which) and has \(count)"
                )
            }
        }
        return (layout, rows)
    }

    /// Lends `body` the rows of a frame one after the other, without what pads them: the versions of
    /// libv4lconvert differ in which formats they expect padding in. The frame itself, if it is so already.
    private func withoutPadding(
        _ frame: UnsafeBufferPointer<UInt8>, _ rows: [PixelLayout.Rows],
        _ body: (UnsafeBufferPointer<UInt8>) -> Int32
    ) -> Int32 {
        let length = rows.reduce(0) { $0 + $1.length * $1.count }
        if rows.allSatisfy({ $0.stride == $0.length }), !Self.overwritten.contains(letters) {
            return body(UnsafeBufferPointer(rebasing: frame[..<length]))
        }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { copy in
            var end = 0
            for rows in rows {
                for row in 0..<rows.count {
                    let start = rows.start + row * rows.stride
                    let part = UnsafeBufferPointer(rebasing: frame[start..<start + rows.length])
                    _ = UnsafeMutableBufferPointer(rebasing: copy[end...]).initialize(from: part)
                    end += rows.length
                }
            }
            return body(UnsafeBufferPointer(copy))
        }
    }
}
