internal import CJPEG
import Cameras

/// Encodes planes as JPEGs, in the sampling that they have. Keeps its memory from one picture to the next.
final class JPEGEncoder {
    private let writer: OpaquePointer
    private let memory = Scratch()

    /// - Throws: ``ImagingError/library(_:)``.
    init() throws(ImagingError) {
        guard let writer = jpeg_writer_new() else { throw .library("out of memory") }
        self.writer = writer
    }

    deinit { jpeg_writer_free(writer) }

    /// - Parameters:
    ///   - quality: 1…100.
    ///   - body: gets a baseline JPEG file, which is there until it returns.
    /// - Throws: ``ImagingError/library(_:)``.
    func encode<Result>(
        _ planes: Planes, quality: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) throws(ImagingError) -> Result {
        let longest = Self.longest(planes)
        let file = memory.room(for: longest)
        let sampling = planes.sampling
        var sources = (source(planes[0]), source(planes[1]), source(planes[2]))
        let length = withUnsafePointer(to: &sources) { sources in
            sources.withMemoryRebound(to: jpeg_source.self, capacity: 3) { sources in
                jpeg_writer_encode(
                    writer, sources, Int32(planes.count), Int32(sampling.columns), Int32(sampling.rows),
                    Int32(quality), file, longest)
            }
        }
        guard length > 0 else { throw .library(String(cString: jpeg_writer_message(writer))) }
        return withExtendedLifetime(self) { body(UnsafeBufferPointer(start: file, count: length)) }
    }

    private func source(_ plane: Planes.Plane) -> jpeg_source {
        jpeg_source(
            start: plane.base, stride: Int32(plane.stride), width: Int32(plane.width),
            height: Int32(plane.height))
    }

    /// The maximum size of a JPEG in bytes: TurboJPEG's formula (`tjBufSize`), two bytes for each sample.
    private static func longest(_ planes: Planes) -> Int {
        let (columns, rows) = (8 * planes.sampling.columns, 8 * planes.sampling.rows)
        let blocks = (planes.width + columns - 1) / columns * ((planes.height + rows - 1) / rows)
        return blocks * (columns * rows + (planes.count - 1) * 64) * 2 + 2048
    }
}
