internal import CAV

/// An encoder of libavcodec: it takes frames and returns packets.
final class CodecEncoder {
    let name: String
    let pointer: OpaquePointer

    /// - Parameters:
    ///   - name: the library's name for it.
    ///   - open: opens it.
    init(_ name: String, open: (inout OpaquePointer?) -> Int32) throws(MovieError) {
        var pointer: OpaquePointer?
        let result = open(&pointer)
        guard let pointer, result == 0 else {
            throw MovieError(doing: "open the encoder \(name)", error: result)
        }
        self.name = name
        self.pointer = pointer
    }

    deinit { cav_close_encoder(pointer) }

    /// Encodes a frame.
    ///
    /// - Parameters:
    ///   - time: in units of the encoder's timescale.
    ///   - fill: writes the samples into the frame.
    func encode(at time: Int64, asKey: Bool = false, fill: (cav_frame) -> Void) throws(MovieError) {
        var frame = cav_frame()
        try check(cav_next_frame(pointer, &frame))
        fill(frame)
        try check(cav_encode(pointer, time, asKey))
    }

    /// No frame follows.
    func end() throws(MovieError) {
        try check(cav_encode_end(pointer))
    }

    /// The next packet, which lasts until the next call; nil when there is none now.
    func next() throws(MovieError) -> cav_packet? {
        var packet = cav_packet()
        let result = cav_next_packet(pointer, &packet)
        try check(result)
        return result == 1 ? packet : nil
    }

    private func check(_ result: Int32) throws(MovieError) {
        if result < 0 { throw MovieError(doing: "encode with \(name)", error: result) }
    }
}
