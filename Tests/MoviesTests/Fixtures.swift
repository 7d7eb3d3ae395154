import Glibc
import TestSupport
import Testing

@testable import Cameras
@testable import Media
@testable import Settings

/// What a shell command prints, to either output.
func run(_ command: String) -> String {
    String(decoding: bytes(of: command + " 2>&1"), as: UTF8.self)
}

/// The standard output of a shell command.
func bytes(of command: String) -> [UInt8] {
    guard let pipe = popen(command, "re") else { return [] }
    defer { pclose(pipe) }
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = fread(&part, 1, part.count, pipe), count > 0 { all += part.prefix(count) }
    return all
}

func read(_ path: String) -> [UInt8] { bytes(of: "cat '\(path)'") }

func write(_ bytes: some Collection<UInt8>, to path: String) {
    guard let file = fopen(path, "w") else { return }
    let bytes = Array(bytes)
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}

func size(_ path: String) -> Int { Int(run("stat -c %s '\(path)'").dropLast()) ?? -1 }

/// The error that a body throws; nil when it throws none.
func thrown(by body: () throws(MovieError) -> Void) -> MovieError? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}

/// A picture of three grays, a white bar that moves, and one colour on the right: the pictures of a
/// player can be compared with it.
struct Scene {
    let width: Int
    let height: Int
    static let grays: [UInt8] = [0, 128, 255]
    static let colour: (luma: UInt8, blue: UInt8, red: UInt8) = (150, 60, 200)

    private let luma: UnsafeMutableBufferPointer<UInt8>
    private let chroma: UnsafeMutableBufferPointer<UInt8>

    /// Memory that the test process keeps.
    init(width: Int, height: Int, number: Int) {
        (self.width, self.height) = (width, height)
        luma = .allocate(capacity: width * height)
        chroma = .allocate(capacity: width * height / 2)
        for y in 0..<height {
            for x in 0..<width {
                luma[y * width + x] =
                    switch x * 4 / width {
                    case 3: Self.colour.luma
                    case let part: (y + 3 * number) % height < height / 8 ? 200 : Self.grays[part]
                    }
            }
        }
        let half = width / 2
        for index in 0..<half * height / 2 {
            let isColoured = index % half * 4 / half == 3
            chroma[index] = isColoured ? Self.colour.blue : 128
            chroma[half * height / 2 + index] = isColoured ? Self.colour.red : 128
        }
    }

    func free() {
        luma.deallocate()
        chroma.deallocate()
    }

    var planes: Planes {
        let (half, rows) = (width / 2, height / 2)
        guard let luma = luma.baseAddress, let chroma = chroma.baseAddress else {
            fatalError("no samples")
        }
        return Planes(
            sampling: .yuv420, luma: .init(base: luma, stride: width, width: width, height: height),
            chroma: (
                .init(base: chroma, stride: half, width: half, height: rows),
                .init(base: chroma + half * rows, stride: half, width: half, height: rows)
            ))
    }
}

/// JPEGs of the scene, one a frame.
func jpegs(_ count: Int, width: Int = 320, height: Int = 240) throws -> [[UInt8]] {
    try (0..<count).map { number in
        let scene = Scene(width: width, height: height, number: number)
        defer { scene.free() }
        return try scene.jpeg()
    }
}

extension Scene {
    func jpeg() throws -> [UInt8] {
        try JPEGEncoder().encode(planes, quality: 85) { Array($0) }
    }
}

extension MovieFormat {
    static func small(_ codec: RecordingCodec, rate: Double = 30, sound: SoundFormat? = nil) -> MovieFormat {
        MovieFormat(codec: codec, width: 320, height: 240, rate: rate, sound: sound)
    }
}

extension MovieWriter {
    /// Writes frame after frame of the scene, in the movie's codec.
    func write(scene numbers: Range<Int>, every step: Duration = .seconds(1) / 30) throws {
        for number in numbers { try write(scene: number, at: step * number) }
    }

    func write(scene number: Int, at time: Duration) throws {
        let scene = Scene(width: format.width, height: format.height, number: number)
        defer { scene.free() }
        switch format.codec {
        case .mjpeg: try write(jpeg: scene.jpeg(), at: time)
        case .h264: try write(planes: scene.planes, at: time)
        }
    }
}

/// A movie as ffmpeg sees it.
struct Probe {
    private let streams: [[String: String]]
    let format: [String: String]
    /// What a reader of the whole file complains of.
    let complaints: String
    /// When each picture is shown, in seconds.
    let times: [Double]

    init(_ path: String) {
        func section(_ text: Substring) -> [String: String] {
            var values: [String: String] = [:]
            for line in text.split(separator: "\n") {
                let pair = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if pair.count == 2 { values[String(pair[0])] = String(pair[1]) }
            }
            return values
        }
        let text = run("ffprobe -v error -show_streams -show_format '\(path)'")
        let parts = text.split(separator: "[/STREAM]")
        streams = parts.dropLast().map(section)
        format = section(parts.last ?? "")
        complaints = run("ffmpeg -nostdin -v error -i '\(path)' -enc_time_base -1 -f null -")
        times = run(
            "ffprobe -v error -select_streams v -show_entries frame=pts_time -of csv=p=0 '\(path)'"
        ).split(separator: "\n").compactMap { Double($0.split(separator: ",").first ?? "") }
    }

    var video: [String: String] { streams.first { $0["codec_type"] == "video" } ?? [:] }
    var sound: [String: String] { streams.first { $0["codec_type"] == "audio" } ?? [:] }
    var duration: Double { format["duration"].flatMap(Double.init) ?? -1 }

    /// It plays to its end, with so many pictures, each later than the one before.
    func expect(frames: Int, _ location: SourceLocation = #_sourceLocation) {
        #expect(complaints == "", sourceLocation: location)
        #expect(times.count == frames, sourceLocation: location)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, sourceLocation: location)
    }
}

/// The samples of one picture of a movie, as a player's decoder gives them: I420.
func decoded(_ path: String, frame: Int) -> [UInt8] {
    bytes(
        of:
            "ffmpeg -nostdin -v error -i '\(path)' -vf 'select=eq(n\\,\(frame))' -frames:v 1 -f rawvideo -pix_fmt yuv420p -"
    )
}

/// The parts that an MP4 is made of, at its top: their kinds, and where each begins.
func parts(ofMP4 bytes: [UInt8]) -> [(kind: String, start: Int)] {
    var found: [(String, Int)] = []
    var start = 0
    while start + 8 <= bytes.count {
        let size = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        found.append((String(decoding: bytes[start + 4..<start + 8], as: UTF8.self), start))
        if size < 8 { break }
        start += size
    }
    return found
}

extension MovieWriter {
    /// As ``write(scene:at:)``, for a test that checks the error.
    func writeTyped(scene number: Int, at time: Duration) throws(MovieError) {
        do {
            try write(scene: number, at: time)
        } catch let error as MovieError {
            throw error
        } catch {
            throw .codec("\(error)")
        }
    }

    /// Writes a picture of nothing but noise, which is many bytes in either codec.
    func writeNoise(_ seed: Int, at time: Duration) throws(MovieError) {
        let (width, height) = (format.width, format.height)
        var state = UInt64(truncatingIfNeeded: seed &* 7919 &+ 1)
        let samples = (0..<width * height * 3 / 2).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let outcome = samples.withUnsafeBufferPointer { samples -> Result<Void, MovieError> in
            guard let base = samples.baseAddress else { return .success(()) }
            let (half, rows) = (width / 2, height / 2)
            let planes = Planes(
                sampling: .yuv420, luma: .init(base: base, stride: width, width: width, height: height),
                chroma: (
                    .init(base: base + width * height, stride: half, width: half, height: rows),
                    .init(base: base + width * height + half * rows, stride: half, width: half, height: rows)
                ))
            do throws(MovieError) {
                if format.codec == .h264 { return .success(try write(planes: planes, at: time)) }
                guard let jpeg = try? JPEGEncoder().encode(planes, quality: 50, { Array($0) }) else {
                    return .success(())
                }
                return .success(try write(jpeg: jpeg, at: time))
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }
}

/// A disk of three megabytes, mounted in a folder for as long as this lives.
final class TinyDisk {
    let folder = TemporaryFolder()

    init?() {
        if run("mount -t tmpfs -o size=3m none '\(folder.path)'") != "" { return nil }
    }

    deinit { _ = run("umount '\(folder.path)'") }
}
