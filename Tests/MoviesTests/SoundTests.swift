import Settings
import TestSupport
import Testing

@testable import Media

/// Sound in the movie, in time with the pictures.
@Suite(.timeLimit(.minutes(10))) struct SoundTests {
    let folder = TemporaryFolder()
    static let mono = SoundFormat(rate: 16000, channels: 1)

    /// A click: half a millisecond of loudness at these times, in seconds.
    private func clicks(at times: [Double], from start: Double, seconds: Double, _ format: SoundFormat)
        -> [Int16]
    {
        let first = Int((start * Double(format.rate)).rounded())
        return (0..<Int((seconds * Double(format.rate)).rounded())).flatMap { index -> [Int16] in
            let time = Double(first + index) / Double(format.rate)
            let isLoud = times.contains { time >= $0 && time < $0 + 0.0005 }
            return (0..<format.channels).map { isLoud ? ($0 == 0 ? 30000 : -30000) : 0 }
        }
    }

    /// When the sound of a file is loud, in seconds on the clock of its pictures; of one channel.
    private func clickTimes(_ path: String, _ format: SoundFormat, channel: Int = 0) -> [Double] {
        let raw = bytes(
            of:
                "ffmpeg -nostdin -v error -i '\(path)' -map a -af aresample=async=1:first_pts=0 -f s16le -c:a pcm_s16le -"
        )
        let frames = stride(from: 2 * channel, to: raw.count - 1, by: 2 * format.channels)
        var found: [Double] = []
        for (index, at) in frames.enumerated() {
            let sample = Int16(truncatingIfNeeded: Int(raw[at]) | Int(raw[at + 1]) << 8)
            let time = Double(index) / Double(format.rate)
            if abs(Int(sample)) > 5000 && time - (found.last ?? -1) > 0.05 { found.append(time) }
        }
        return found
    }

    private func record(
        _ codec: RecordingCodec, _ format: SoundFormat, clicks times: [Double], seconds: Double = 3,
        late: Int = 0, blocks: (Double) -> Bool = { _ in true }
    ) throws -> MovieResult {
        let writer = try MovieWriter(
            path: folder.file("a." + codec.suffix), format: .small(codec, rate: 10, sound: format))
        for number in 0..<Int(seconds * 10) {
            let time = Double(number) / 10
            if blocks(time) {
                let samples = clicks(at: times, from: time, seconds: 0.1, format)
                try writer.write(sound: samples, at: .seconds(50 + time))
            }
            if number >= late { try writer.write(scene: number, at: .seconds(50 + time)) }
        }
        return writer.finish()
    }

    private func expect(
        _ found: [Double], near wanted: [Double], within: Double = 0.003,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(
            found.count == wanted.count && zip(found, wanted).allSatisfy { abs($0 - $1) < within },
            "\(found) \(wanted)", sourceLocation: location)
    }

    @Test(
        arguments: RecordingCodec.allCases,
        [mono, SoundFormat(rate: 48000, channels: 2), SoundFormat(rate: 44100, channels: 1)])
    func soundIsThereAndInTime(codec: RecordingCodec, format: SoundFormat) throws {
        let result = try record(codec, format, clicks: [0.5, 1.234, 2.9])
        #expect(result.failure == nil && result.frames == 30)
        let probe = Probe(result.path)
        probe.expect(frames: 30)
        #expect(probe.sound["codec_name"] == "aac" && probe.sound["sample_rate"] == "\(format.rate)")
        #expect(probe.sound["channels"] == "\(format.channels)")
        #expect(probe.times.first == 0)
        #expect(abs(probe.duration - 3) < 0.1)
        for channel in 0..<format.channels {
            expect(clickTimes(result.path, format, channel: channel), near: [0.5, 1.234, 2.9])
        }
    }

    /// A microphone that stumbles.
    @Test(arguments: RecordingCodec.allCases) func whatIsMissingIsSilence(codec: RecordingCodec) throws {
        let result = try record(codec, Self.mono, clicks: [0.5, 1.15, 2.5]) { $0 < 1 || $0 > 1.95 }
        expect(clickTimes(result.path, Self.mono), near: [0.5, 2.5])
        Probe(result.path).expect(frames: 30)
    }

    /// A microphone whose second isn't the pictures'.
    @Test(arguments: [0.98, 1.02]) func soundStaysWithThePictures(pace: Double) throws {
        let writer = try MovieWriter(
            path: folder.file("a.mp4"), format: .small(.h264, rate: 10, sound: Self.mono))
        for number in 0..<80 {
            let time = Double(number) / 10
            let block = clicks(at: [2, 4, 6], from: time, seconds: 0.1, Self.mono)
            let count = Int(Double(block.count) * pace)
            let samples = (0..<count).map { block[min($0 * block.count / count, block.count - 1)] }
            try writer.write(sound: samples, at: .seconds(time))
            try writer.write(scene: number, at: .seconds(time))
        }
        let path = writer.finish().path
        Probe(path).expect(frames: 80)
        expect(clickTimes(path, Self.mono), near: [2, 4, 6], within: 0.05)
    }

    /// The first picture comes later than the sound of its time, and the movie begins with it.
    @Test(arguments: RecordingCodec.allCases) func soundBeforeThePicturesIsLeftOut(codec: RecordingCodec)
        throws
    {
        let result = try record(codec, Self.mono, clicks: [0.2, 0.75, 1.5], late: 7)
        #expect(result.frames == 23)
        expect(clickTimes(result.path, Self.mono), near: [0.05, 0.8])
        #expect(Probe(result.path).times.first == 0)
    }

    @Test(arguments: RecordingCodec.allCases) func aMicrophoneThatNeverSpeaksSpoilsNothing(
        codec: RecordingCodec
    )
        throws
    {
        let result = try record(codec, Self.mono, clicks: []) { _ in false }
        #expect(result.frames == 30 && result.failure == nil)
        Probe(result.path).expect(frames: 30)
    }

    @Test func soundAloneIsNoMovie() throws {
        let writer = try MovieWriter(path: folder.file("a"), format: .small(.mjpeg, sound: Self.mono))
        for number in 0..<300 {
            try writer.write(sound: [Int16](repeating: 1, count: 1600), at: .milliseconds(100 * number))
        }
        #expect(writer.finish().frames == 0)
        #expect(folder.names == [])
    }

    @Test(arguments: [(47999, 1), (48000, 0), (48000, 3), (0, 1)]) func soundThatCannotBeIsRefused(
        rate: Int, channels: Int
    ) {
        let error = thrown { () throws(MovieError) in
            _ = try MovieWriter(
                path: folder.file("a"),
                format: .small(.mjpeg, sound: SoundFormat(rate: rate, channels: channels)))
        }
        guard case .unsupported(let words)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(words.hasPrefix("sound of \(channels) channels at \(rate) Hz"))
        #expect(folder.names == [])
    }

    @Test func aSilentMovieTakesNoSound() throws {
        let writer = try MovieWriter(path: folder.file("a"), format: .small(.mjpeg))
        #expect(
            thrown { () throws(MovieError) in try writer.write(sound: [1], at: .zero) }
                == .unsupported("the movie is silent"))
    }
}
