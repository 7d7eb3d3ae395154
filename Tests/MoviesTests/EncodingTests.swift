import TestSupport
import Testing

@testable import Media
@testable import Settings

/// Quality, limit of the bit rate and key-frame interval, as the file has them.
@Suite(.timeLimit(.minutes(10))) struct EncodingTests {
    let folder = TemporaryFolder()

    private func path(_ encoding: RecordingEncoding, _ body: (MovieWriter) throws -> Void) throws -> String {
        let path = folder.file("a.mp4")
        let writer = try MovieWriter(
            path: path,
            format: MovieFormat(codec: .h264, width: 320, height: 240, rate: 30, encoding: encoding))
        try body(writer)
        #expect(writer.finish().failure == nil)
        return path
    }

    /// The times of the key frames, in frames.
    private func keyFrames(_ path: String) -> [Int] {
        run(
            "ffprobe -v error -select_streams v -show_entries packet=pts_time,flags -of csv=p=0 '\(path)'"
        ).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ",")
            guard fields.count >= 2, fields[1].hasPrefix("K") else { return nil }
            return Double(fields[0]).map { Int(($0 * 30).rounded()) }
        }
    }

    @Test(arguments: [(0.1, 3), (0.5, 15), (1, 30), (2.5, 75), (60, 1_800)])
    func keyFramesComeAfterTheInterval(seconds: Double, frames: Int) throws {
        let path = try path(RecordingEncoding(keyFrameSeconds: seconds)) { try $0.write(scene: 0..<181) }
        #expect(keyFrames(path) == Array(stride(from: 0, through: 180, by: frames)))
        Probe(path).expect(frames: 181)
    }

    /// Noise needs as many bits as there are: more than 5 Mbit/s at the default quality.
    @Test(arguments: [1_000_000, 3_000_000]) func theBitRateIsLimited(limit: Int) throws {
        let seconds = 4
        let path = try path(RecordingEncoding(maximumBitRate: limit)) { writer in
            for number in 0..<30 * seconds {
                try writer.writeNoise(number, at: .seconds(1) / 30 * number)
            }
        }
        let bits = size(path) * 8
        let container = 8 * (48 * 30 * seconds + 4_096)
        #expect(bits < limit * (seconds + 1) + container, "more than the buffer of one second in addition")
        #expect(Double(bits) > 0.7 * Double(limit * seconds), "the limit isn't used")
        Probe(path).expect(frames: 30 * seconds)
    }

    @Test func withoutALimitTheQualityDecides() throws {
        func bytes(_ quality: Int?, limit: Int? = nil) throws -> Int {
            let encoding = RecordingEncoding(quality: quality, maximumBitRate: limit)
            let path = try path(encoding) { writer in
                for number in 0..<15 { try writer.writeNoise(number, at: .seconds(1) / 30 * number) }
            }
            defer { _ = run("rm '\(path)'") }
            return size(path)
        }
        let sizes = try [1, 20, 40, 56, 80, 100].map { try bytes($0) }
        #expect(sizes == sizes.sorted() && Set(sizes).count == sizes.count, "\(sizes)")
        #expect(sizes[3] * 8 * 2 > 5_000_000)
        #expect(try bytes(nil) == sizes[3], "56 is the default")
        let limited = try bytes(56, limit: 200_000_000)
        #expect(
            abs(limited - sizes[3]) * 20 < sizes[3], "a limit that isn't reached changes little: \(limited)")
    }

    @Test func anEncoderWithoutConstantQualityGetsABitRate() {
        let pixels = 1920.0 * 1080 * 30
        func rate(_ quality: Int?, limit: Int? = nil) -> Int64 {
            RecordingEncoding(quality: quality, maximumBitRate: limit)
                .estimatedBitRate(pixelsPerSecond: pixels)
        }
        #expect(rate(nil) == Int64(0.1 * pixels) && rate(56) == rate(nil))
        #expect(abs(rate(68) - 2 * rate(56)) <= 2 && abs(2 * rate(44) - rate(56)) <= 2)
        #expect(rate(nil, limit: 4_000_000) == 4_000_000 && rate(20, limit: 4_000_000) == rate(20))
    }
}
