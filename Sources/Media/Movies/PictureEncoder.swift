internal import CAV
internal import Cameras
internal import Glibc
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
    /// Nil: ``hardware`` encodes.
    private var software: CodecEncoder?
    private var hardware: WatchedEncoder?
    /// Packets of the hardware that weren't taken yet.
    private var packets: [EncodedPacket] = []
    /// The time of the last frame with which a packet of the hardware came, or of the first frame; nil: there
    /// was none.
    private var answered: Duration?
    /// The hardware has given a packet: from then on another encoder needs another file.
    private var hasProducedPacket = false
    private var lastKey: Duration?

    var name: String { hardware?.name ?? software?.name ?? "" }

    /// A hardware encoder, if one is configured, hasn't failed in the last 10 minutes and can be
    /// opened; otherwise x264.
    init(_ format: MovieFormat, hardware: HardwareEncoders = .installed) throws(MovieError) {
        self.format = format
        keyFrameInterval = .seconds(format.encoding.keyFrameSeconds)
        for candidate in hardware.candidates where format.encoding.encoder.permits(candidate.name) {
            guard candidate.history.isUsable else { continue }
            self.hardware = try? WatchedEncoder(candidate, format)
            if self.hardware != nil { return }
        }
        software = try Self.software(format)
    }

    /// - Throws: ``MovieError/codec(_:)``; ``MovieError/encoder(_:)`` when hardware has failed that has given
    ///   packets. Before that, x264 takes its place.
    func encode(_ planes: Planes, at time: Duration) throws(MovieError) {
        // Half a frame early is on time.
        let isDue = lastKey.map { time - $0 >= keyFrameInterval - .seconds(0.5 / format.rate) } ?? true
        if isDue { lastKey = time }
        guard let encoder = hardware else { return try encode(planes, at: time, isDue) }
        do throws(MovieError) {
            let frame = EncoderFrame(
                time: time.units(of: Self.timescale), isKey: isDue, picture: PlanarPicture(planes))
            let more = try encoder.encode(frame)
            if let answered, more.isEmpty, time - answered >= WatchedEncoder.timeout {
                throw .codec("the encoder \(encoder.name) gives no pictures")
            }
            packets += more
            if !more.isEmpty { hasProducedPacket = true }
            if !more.isEmpty || answered == nil { answered = time }
        } catch {
            encoder.history.noteFailure()
            if hasProducedPacket { throw .encoder(error.description) }
            // A device may report that it can encode, and then fail.
            software = try Self.software(format)
            hardware = nil
            lastKey = time
            try encode(planes, at: time, true)
        }
    }

    private func encode(_ planes: Planes, at time: Duration, _ isKey: Bool) throws(MovieError) {
        try software?.encode(at: time.units(of: Self.timescale), asKey: isKey) { target in
            Self.copy(planes, to: target, pairsChroma: false)
        }
    }

    func end() throws(MovieError) {
        try software?.end()
        guard let encoder = hardware else { return }
        do throws(MovieError) {
            packets += try encoder.end()
        } catch {
            encoder.history.noteFailure()
            throw error
        }
    }

    /// Gives the packets that are ready, each until `body` returns.
    func takePackets(_ body: (cav_packet) throws(MovieError) -> Void) throws(MovieError) {
        while let packet = try software?.next() { try body(packet) }
        let ready = packets
        packets = []
        for packet in ready {
            try packet.bytes.withUnsafeBufferPointer { bytes throws(MovieError) in
                try body(
                    cav_packet(
                        bytes: bytes.baseAddress, count: bytes.count, time: packet.time,
                        duration: packet.duration, is_key: packet.isKey))
            }
        }
    }

    /// Copies planes to their places in a frame of the library.
    static func copy(_ planes: Planes, to frame: cav_frame, pairsChroma: Bool) {
        let targets = [frame.planes.0, frame.planes.1, frame.planes.2]
        let strides = [frame.strides.0, frame.strides.1, frame.strides.2].map(Int.init)
        for index in 0..<planes.count {
            let paired = pairsChroma && index > 0
            guard let target = paired ? targets[1].map({ $0 + index - 1 }) : targets[index] else { continue }
            LimitedRange.copy(
                planes[index], to: target, stride: paired ? strides[1] : strides[index],
                step: paired ? 2 : 1, isChroma: index > 0)
        }
    }

    static func software(_ format: MovieFormat) throws(MovieError) -> CodecEncoder {
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

    /// V4L2's encoder.
    static func v4l2(_ format: MovieFormat, pairsChroma: Bool) throws(MovieError) -> CodecEncoder {
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

extension RecordingEncoder {
    /// Whether a hardware encoder of this name is tried.
    fileprivate func permits(_ name: String) -> Bool {
        switch self {
        case .automatic: true
        case .software: false
        case .v4l2: name == rawValue
        }
    }
}

extension PlanarPicture {
    /// A copy of planes, which have chroma.
    fileprivate init(_ planes: Planes) {
        self.init(sampling: planes.sampling, width: planes.width, height: planes.height) { index, copy in
            let plane = planes[index]
            for row in 0..<plane.height {
                (copy.target + row * copy.stride).update(
                    from: plane.base + row * plane.stride, count: plane.width)
            }
        }
    }
}
