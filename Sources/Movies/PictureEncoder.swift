internal import CAV
internal import Glibc
internal import Picture
internal import Settings

/// Makes H.264 of planes.
final class PictureEncoder {
    /// How many units a second has, as MP4 has it for video.
    static let timescale = 90000

    /// Of x264. Without looking ahead it takes no longer than the next faster one, makes half of the bytes,
    /// and holds no frames, which a crash would cost: 1080p of a textured, noisy scene at 90 frames per
    /// second on one core, and 3 Mbit/s at 30.
    private static let preset = "veryfast"
    private static let details = "rc-lookahead=0:mbtree=0"

    private let format: MovieFormat
    /// The longest time from one key frame to the next.
    private let keyFrameInterval: Duration
    private var encoder: CodecEncoder
    private var pairsChroma: Bool
    private var isHardware: Bool
    /// The hardware has given a packet, so that it isn't doubted any more.
    private var hasProducedPacket = false
    private var lastKey: Duration?

    var name: String { encoder.name }

    /// A hardware encoder, where V4L2 has one; otherwise x264.
    init(_ format: MovieFormat) throws(MovieError) {
        self.format = format
        keyFrameInterval = .seconds(format.encoding.keyFrameSeconds)
        for pairsChroma in [false, true] {
            guard let hardware = try? Self.hardware(format, pairsChroma: pairsChroma) else { continue }
            (encoder, self.pairsChroma, isHardware) = (hardware, pairsChroma, true)
            return
        }
        (encoder, pairsChroma, isHardware) = (try Self.software(format), false, false)
    }

    /// - Throws: ``MovieError/codec(_:)``.
    func encode(_ planes: Planes, at time: Duration) throws(MovieError) {
        // Half a frame early is on time.
        let isDue = lastKey.map { time - $0 >= keyFrameInterval - .seconds(0.5 / format.rate) } ?? true
        if isDue { lastKey = time }
        let ticks = time.units(of: Self.timescale)
        do throws(MovieError) {
            try encoder.encode(at: ticks, asKey: isDue) { fill($0, with: planes) }
        } catch {
            // A device may report that it can encode, and then fail.
            guard isHardware && !hasProducedPacket else { throw error }
            (encoder, pairsChroma, isHardware) = (try Self.software(format), false, false)
            try encoder.encode(at: ticks, asKey: true) { fill($0, with: planes) }
        }
    }

    func end() throws(MovieError) { try encoder.end() }

    func next() throws(MovieError) -> cav_packet? {
        let packet = try encoder.next()
        if packet != nil { hasProducedPacket = true }
        return packet
    }

    private func fill(_ frame: cav_frame, with planes: Planes) {
        let targets = [frame.planes.0, frame.planes.1, frame.planes.2]
        let strides = [frame.strides.0, frame.strides.1, frame.strides.2].map(Int.init)
        for (index, plane) in planes.planes.enumerated() {
            let paired = pairsChroma && index > 0
            guard let target = paired ? targets[1].map({ $0 + index - 1 }) : targets[index] else { continue }
            LimitedRange.copy(
                plane, to: target, stride: paired ? strides[1] : strides[index], step: paired ? 2 : 1,
                isChroma: index > 0)
        }
    }

    private static func software(_ format: MovieFormat) throws(MovieError) -> CodecEncoder {
        var video = video(format)
        // The encoder inserts a key frame by itself only if none is requested for this long.
        video.group = Int32(clamping: Int(10 * format.rate * max(1, format.encoding.keyFrameSeconds)))
        video.threads = threads
        let options = format.encoding.x264Options
        return try open(
            "libx264", video,
            options: [
                "preset", preset, "x264-params", details + options.limit, "crf", options.rateFactor,
                "forced-idr", "1",
            ])
    }

    private static func hardware(_ format: MovieFormat, pairsChroma: Bool) throws(MovieError) -> CodecEncoder
    {
        // libavcodec ignores the row padding that the device requires; rows of this width need none.
        guard format.width % 64 == 0 else { throw .unsupported("a width that hardware might pad") }
        var video = video(format)
        video.packs_rows = true
        video.pairs_chroma = pairsChroma
        video.bit_rate = format.encoding.estimatedBitRate(
            pixelsPerSecond: Double(format.width * format.height) * format.rate)
        return try open("h264_v4l2m2m", video, options: [])
    }

    /// Small machines have other things to do; and each thread holds a frame.
    private static let threads: Int32 = sysconf(Int32(_SC_NPROCESSORS_ONLN)) < 4 ? 1 : 2

    private static func video(_ format: MovieFormat) -> cav_video {
        var video = cav_video()
        video.width = Int32(format.width)
        video.height = Int32(format.height)
        video.timescale = Int32(timescale)
        video.rate = format.rate
        video.group = Int32(clamping: Int((format.rate * format.encoding.keyFrameSeconds).rounded(.up)))
        video.threads = 1
        return video
    }

    private static func open(
        _ name: String, _ settings: cav_video, options: [String]
    ) throws(MovieError) -> CodecEncoder {
        try CodecEncoder(name) { pointer in
            let words = options.map { strdup($0) }
            defer { for word in words { free(word) } }
            var pairs = words.map { UnsafePointer<CChar>($0) } + [nil]
            return name.withCString { name in
                pairs.withUnsafeMutableBufferPointer { pairs in
                    var video = settings
                    video.encoder = name
                    video.options = UnsafePointer(pairs.baseAddress)
                    return cav_open_video(&video, &pointer)
                }
            }
        }
    }
}
