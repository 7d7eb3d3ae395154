internal import CJPEG
import Cameras

/// Decodes JPEGs, or parts of them, to planes. Keeps its memory from one picture to the next.
final class JPEGDecoder {
    /// Planes of a part of a picture: all of its columns, and rows from one to another.
    struct Part {
        let planes: Planes
        /// The row of the picture, as it was decoded, that is the first of the planes.
        let top: Int
    }

    private let reader: OpaquePointer
    private let buffer = PlaneBuffer()
    /// How often a picture was decoded, also a damaged one.
    private(set) var decodings = 0

    /// - Throws: ``ImagingError/library(_:)``.
    init() throws(ImagingError) {
        guard let reader = jpeg_reader_new() else { throw .library("out of memory") }
        self.reader = reader
    }

    deinit {
        jpeg_reader_free(reader)
    }

    /// Decodes the whole picture.
    ///
    /// - Returns: planes that stay until the next call, and no longer than the decoder.
    /// - Throws: ``ImagingError``.
    func decode(_ bytes: [UInt8]) throws(ImagingError) -> Planes {
        try decode(bytes) { head in (1, 0..<head.height) }.planes
    }

    /// The header of a JPEG. The picture in it may still be damaged.
    ///
    /// - Throws: ``ImagingError``.
    func head(of bytes: [UInt8]) throws(ImagingError) -> JPEGHeader {
        try bytes.withUnsafeBufferPointer { bytes throws(ImagingError) in try open(bytes) }
    }

    /// Decodes the rows that `choose` names.
    ///
    /// Entropy-coded data can only be read from the start: rows above are read, but not transformed. Rows
    /// below are not read, so damage in them is not detected, unless the JPEG is truncated.
    ///
    /// - Parameter choose: gets the header, and returns the divisor by which the picture is reduced while
    ///   it is decoded (1, 2, 4 or 8, sides rounded up), and which of the reduced picture's rows are needed.
    ///   Subsampled chroma may then have more samples than in the JPEG.
    /// - Returns: at least those rows, which stay until the next call, and no longer than the decoder.
    /// - Throws: ``ImagingError``. A warning of libjpeg-turbo is a failure, because what follows it is gray
    ///   or garbled. So is a progressive JPEG of more than 20 scans, which takes minutes and has no other
    ///   purpose, or with more than 32 MiB of coefficients (3840 × 2160 pixels in 4:2:2).
    func decode(
        _ bytes: [UInt8], choose: (JPEGHeader) throws(ImagingError) -> (reduction: Int, rows: Range<Int>)
    ) throws(ImagingError) -> Part {
        try bytes.withUnsafeBufferPointer { bytes throws(ImagingError) in
            let head = try open(bytes)
            let (reduction, rows) = try choose(head)
            try checkEnd(ofJPEG: bytes)
            decodings += 1
            var layout = jpeg_layout()
            guard jpeg_reader_lay_out(reader, Int32(reduction), &layout) == 0,
                let sampling = head.sampling == .gray
                    ? .gray : Sampling(columns: Int(layout.columns), rows: Int(layout.rows))
            else { throw .damaged(errorMessage) }
            return try decode(rows, of: head, reducedBy: reduction, sampling, group: Int(layout.group))
        }
    }

    private func decode(
        _ rows: Range<Int>, of head: JPEGHeader, reducedBy reduction: Int, _ sampling: Sampling, group: Int
    ) throws(ImagingError) -> Part {
        let width = (head.width + reduction - 1) / reduction
        let height = (head.height + reduction - 1) / reduction
        let top = rows.lowerBound / group * group
        let bottom = min((rows.upperBound + group - 1) / group * group, height)
        // Blocks are written to their ends.
        let block = 16 * sampling.columns
        let room = buffer.layOut(
            sampling, width: (width + block - 1) / block * block,
            height: (bottom - top + group - 1) / group * group)
        var targets = (target(room[0]), target(room[1]), target(room[2]))
        let result = withUnsafePointer(to: &targets) { targets in
            targets.withMemoryRebound(to: jpeg_target.self, capacity: 3) { targets in
                jpeg_reader_decode(reader, Int32(top), Int32(bottom), targets)
            }
        }
        guard result == 0 else { throw .damaged(errorMessage) }
        func trimmed(_ index: Int) -> Planes.Plane {
            let size = sampling.size(ofPlane: index, width: width, height: bottom - top)
            let plane = room[index]
            return Planes.Plane(
                base: plane.base, stride: plane.stride, width: size.width, height: size.height)
        }
        let planes = Planes(
            sampling: sampling, luma: trimmed(0),
            chroma: sampling == .gray ? nil : (trimmed(1), trimmed(2)))
        return Part(planes: planes, top: top)
    }

    private func target(_ plane: Planes.Plane) -> jpeg_target {
        jpeg_target(start: plane.target, stride: Int32(plane.stride))
    }

    private func open(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImagingError) -> JPEGHeader {
        var head = jpeg_head()
        guard jpeg_reader_open(reader, bytes.baseAddress, bytes.count, &head) == 0 else {
            throw .damaged(errorMessage)
        }
        return try JPEGHeader(head)
    }

    private var errorMessage: String { String(cString: jpeg_reader_message(reader)) }
}
