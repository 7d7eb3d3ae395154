internal import CAV

/// Makes AAC of sound, without gaps: what is missing is silence, and what comes too much is left out, so that
/// it stays with the pictures.
final class SoundTrack {
    /// Maximum deviation of the sound from its time before it is corrected. It is inaudible, and larger than
    /// the jitter of the times of blocks.
    private static let tolerance = Duration.milliseconds(40)
    private static let bitsForAChannel: Int64 = 80_000
    /// The sample rates of AAC.
    private static let rates = [
        7350, 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000,
    ]

    let encoder: CodecEncoder
    private let format: SoundFormat
    /// Samples of each channel in a frame of the encoder.
    private let frame: Int
    /// Begins the next frame.
    private var block: [Int16] = []
    /// When the block begins, in samples since the start.
    private var position = 0

    /// - Throws: ``MovieError/unsupported(_:)``, ``MovieError/codec(_:)``.
    init(_ format: SoundFormat) throws(MovieError) {
        guard Self.rates.contains(format.rate), 1...2 ~= format.channels else {
            throw .unsupported(
                "sound of \(format.channels) channels at \(format.rate) Hz: AAC has 1 or 2, at one of "
                    + Self.rates.map(String.init).joined(separator: ", "))
        }
        var samples: Int32 = 0
        encoder = try CodecEncoder("aac") { pointer in
            cav_open_sound(
                Int32(format.rate), Int32(format.channels), Int64(format.channels) * Self.bitsForAChannel,
                &pointer, &samples)
        }
        self.format = format
        frame = Int(samples)
    }

    /// - Parameters:
    ///   - samples: interleaved.
    ///   - time: of the first of them, since the movie's start; what was before the start is left out.
    ///   - packet: is given what the encoder has.
    func add(
        _ samples: [Int16], at time: Duration, packet: (cav_packet) throws(MovieError) -> Void
    ) throws(MovieError) {
        let next = position + block.count / format.channels
        let off = Int(time.units(of: format.rate)) - next
        let isOff = abs(off) > Int(Self.tolerance.units(of: format.rate)) || next == 0
        if isOff && off > 0 { try append(silence: off, packet) }
        try append(samples.dropFirst(isOff && off < 0 ? -off * format.channels : 0), packet)
    }

    /// Gives what is held yet.
    func end(packet: (cav_packet) throws(MovieError) -> Void) throws(MovieError) {
        if !block.isEmpty { try append(silence: frame - block.count / format.channels, packet) }
        try encoder.end()
        try take(packet)
    }

    private func append(
        silence count: Int, _ packet: (cav_packet) throws(MovieError) -> Void
    ) throws(MovieError) {
        let second = [Int16](repeating: 0, count: min(count, format.rate) * format.channels)
        var left = count * format.channels
        while left > 0 {
            try append(second.prefix(left), packet)
            left -= second.count
        }
    }

    private func append(
        _ samples: ArraySlice<Int16>, _ packet: (cav_packet) throws(MovieError) -> Void
    ) throws(MovieError) {
        var rest = samples
        while !rest.isEmpty {
            let part = rest.prefix(frame * format.channels - block.count)
            block += part
            rest = rest.dropFirst(part.count)
            if block.count == frame * format.channels { try encode(packet) }
        }
    }

    private func encode(_ packet: (cav_packet) throws(MovieError) -> Void) throws(MovieError) {
        try encoder.encode(at: Int64(position)) { target in
            let channels = [target.planes.0, target.planes.1]
            for channel in 0..<format.channels {
                guard let plane = channels[channel] else { continue }
                plane.withMemoryRebound(to: Float.self, capacity: frame) { plane in
                    for index in 0..<frame {
                        plane[index] = Float(block[index * format.channels + channel]) / 32768
                    }
                }
            }
        }
        position += frame
        block.removeAll(keepingCapacity: true)
        try take(packet)
    }

    private func take(_ packet: (cav_packet) throws(MovieError) -> Void) throws(MovieError) {
        while let next = try encoder.next() {
            // The first frame only primes the decoder; it lies before the start, where the file has no place.
            if next.time >= 0 { try packet(next) }
        }
    }
}
