internal import CJPEG
internal import Cameras

/// Turns and mirrors whole JPEGs without loss: the coefficients are the same, at other places. Their samples
/// are not decoded, which also takes less time than to encode the picture again. Keeps its memory from one
/// picture to the next, but for the coefficients.
final class JPEGTurner {
    private let reader: OpaquePointer
    private let writer: OpaquePointer
    private let memory = Scratch()

    /// What a JPEG with the standard's Huffman tables can need beside the bytes of one with better tables.
    private static let spareBytes = 1 << 16

    /// - Throws: ``ImagingError/library(_:)``.
    init() throws(ImagingError) {
        guard let reader = jpeg_reader_new() else { throw .library("out of memory") }
        guard let writer = jpeg_writer_new() else {
            jpeg_reader_free(reader)
            throw .library("out of memory")
        }
        (self.reader, self.writer) = (reader, writer)
    }

    deinit {
        jpeg_reader_free(reader)
        jpeg_writer_free(writer)
    }

    /// - Parameter body: gets the turned JPEG, which is there until it returns.
    /// - Returns: nil: this picture can't be turned without loss. An edge that becomes the left or the top
    ///   one has to be that of a unit of the JPEG (an MCU, such as 16 × 8 pixels in 4:2:2); it is not
    ///   progressive, and may have 32 MiB of coefficients.
    /// - Throws: ``ImagingError/damaged(_:)``, as ``JPEGDecoder``.
    func turn<Result>(
        _ bytes: [UInt8], by orientation: Orientation, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) throws(ImagingError) -> Result? {
        let capacity = 2 * bytes.count + Self.spareBytes
        let file = memory.room(for: capacity)
        var turn = orientation.ofCoefficients
        let length = try bytes.withUnsafeBufferPointer { bytes throws(ImagingError) in
            try checkEnd(ofJPEG: bytes)
            return jpeg_turn_losslessly(
                reader, writer, bytes.baseAddress, bytes.count, &turn, file, capacity)
        }
        guard length >= 0 else { throw .damaged(String(cString: jpeg_reader_message(reader))) }
        guard length > 0 else { return nil }
        return withExtendedLifetime(self) { body(UnsafeBufferPointer(start: file, count: length)) }
    }
}

extension Orientation {
    /// Which sides of the source are reversed, and whether they are exchanged afterwards.
    fileprivate var ofCoefficients: jpeg_turn {
        let (right, down) = (direction(1, 0), direction(0, 1))
        return jpeg_turn(
            reversed_columns: right.x + right.y < 0 ? 1 : 0, reversed_rows: down.x + down.y < 0 ? 1 : 0,
            exchanged: swapsSides ? 1 : 0)
    }
}
