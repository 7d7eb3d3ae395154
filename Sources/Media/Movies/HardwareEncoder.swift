internal import CAV
internal import Cameras
internal import Settings

/// A frame for an encoder on another thread.
struct EncoderFrame: Sendable {
    /// In units of ``PictureEncoder/timescale``.
    let time: Int64
    let isKey: Bool
    /// 4:2:0.
    let picture: PlanarPicture
}

/// An encoded picture.
struct EncodedPacket: Sendable {
    let bytes: [UInt8]
    /// In units of ``PictureEncoder/timescale``.
    let time: Int64
    let duration: Int64
    let isKey: Bool
}

/// An encoder that may fail or hang at any time. It is used by one thread, see ``WatchedEncoder``.
protocol HardwareEncoder: AnyObject {
    /// Encodes a frame, and returns what is encoded so far.
    func encode(_ frame: EncoderFrame) throws(MovieError) -> [EncodedPacket]

    /// No frame follows. Returns the rest.
    func end() throws(MovieError) -> [EncodedPacket]
}

/// The hardware encoders that are tried, in their order.
struct HardwareEncoders: Sendable {
    typealias Open = @Sendable (MovieFormat) throws(MovieError) -> any HardwareEncoder

    /// An encoder by the library's name.
    struct Candidate: Sendable {
        let name: String
        /// Of this candidate, for all recordings that have it.
        var history = EncoderHistory()
        /// How long it may take for a call. Another one for tests: an encoder that works may need longer on a
        /// machine that is busy with other tests.
        var timeout = WatchedEncoder.timeout
        let open: Open
    }

    let candidates: [Candidate]

    init(_ candidates: [Candidate]) { self.candidates = candidates }

    /// Those of libavcodec. Devices differ in how they want chroma.
    static let installed = HardwareEncoders(
        [false, true].map { pairsChroma in
            Candidate(name: RecordingEncoder.v4l2.rawValue) { format throws(MovieError) in
                LibraryEncoder(
                    try PictureEncoder.v4l2(format, pairsChroma: pairsChroma), pairsChroma: pairsChroma)
            }
        })
}

/// An encoder of libavcodec for frames that are copied to it.
final class LibraryEncoder: HardwareEncoder {
    private let encoder: CodecEncoder
    private let pairsChroma: Bool

    init(_ encoder: CodecEncoder, pairsChroma: Bool) {
        (self.encoder, self.pairsChroma) = (encoder, pairsChroma)
    }

    func encode(_ frame: EncoderFrame) throws(MovieError) -> [EncodedPacket] {
        try encoder.encode(at: frame.time, asKey: frame.isKey) { target in
            let picture = frame.picture
            picture.samples.withUnsafeBufferPointer { samples in
                guard let start = samples.baseAddress else { return }
                PictureEncoder.copy(
                    Planes(
                        at: start, sampling: picture.sampling, width: picture.width, height: picture.height),
                    to: target, pairsChroma: pairsChroma)
            }
        }
        return try packets()
    }

    func end() throws(MovieError) -> [EncodedPacket] {
        try encoder.end()
        return try packets()
    }

    private func packets() throws(MovieError) -> [EncodedPacket] {
        var list: [EncodedPacket] = []
        while let packet = try encoder.next() {
            list.append(
                EncodedPacket(
                    bytes: Array(UnsafeBufferPointer(start: packet.bytes, count: packet.count)),
                    time: packet.time, duration: packet.duration, isKey: packet.is_key))
        }
        return list
    }
}
