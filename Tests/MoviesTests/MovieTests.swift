import Settings
import TestSupport
import Testing

@testable import Cameras
@testable import Media

@Suite(.timeLimit(.minutes(10))) struct MovieTests {
    let folder = TemporaryFolder()

    @Test func jpegsAreKeptAsTheyAre() throws {
        let path = folder.file("a.mkv")
        let frames = try jpegs(45)
        let writer = try MovieWriter(path: path, format: .small(.mjpeg))
        for (number, jpeg) in frames.enumerated() {
            try writer.write(jpeg: jpeg, at: .seconds(100) + .milliseconds(33 * number))
        }
        let result = writer.finish()
        #expect(result.failure == nil && !result.isProvisional && result.encoder == nil)
        #expect(result.frames == 45 && result.bytes == size(path))
        let probe = Probe(path)
        probe.expect(frames: 45)
        #expect(probe.video["codec_name"] == "mjpeg")
        #expect(probe.video["width"] == "320" && probe.video["height"] == "240")
        #expect(probe.video["color_range"] == "pc" && probe.video["pix_fmt"] == "yuvj420p")
        #expect(probe.format["format_name"] == "matroska,webm")
        #expect(probe.times.first == 0)
        #expect(abs(probe.duration - (44 * 0.033 + 1.0 / 30)) < 0.002)
        #expect(abs(result.duration / .seconds(1) - probe.duration) < 0.002)
        let kept = bytes(of: "ffmpeg -v error -i '\(path)' -c copy -f image2pipe -")
        #expect(kept == frames.flatMap { $0 })
        #expect(folder.names == ["a.mkv"])
    }

    @Test func planesBecomeAnMP4ThatEachPlayerKnows() throws {
        let path = folder.file("a.mp4")
        let writer = try MovieWriter(path: path, format: .small(.h264))
        try writer.write(scene: 0..<75)
        let result = writer.finish()
        #expect(result.failure == nil && !result.isProvisional && result.encoder == "libx264")
        #expect(result.frames == 75 && result.bytes == size(path))
        #expect(abs(result.duration / .seconds(1) - 2.5) < 0.001)
        let probe = Probe(path)
        probe.expect(frames: 75)
        let expected = [
            "codec_name": "h264", "profile": "High", "width": "320", "height": "240", "pix_fmt": "yuv420p",
            "color_range": "tv", "color_space": "smpte170m", "color_primaries": "bt709",
            "color_transfer": "bt709", "has_b_frames": "0", "time_base": "1/90000",
            "avg_frame_rate": "30/1",
        ]
        for (key, value) in expected { #expect(probe.video[key] == value, "\(key)") }
        #expect(probe.times.first == 0)
        #expect(abs(probe.duration - 2.5) < 0.01)
        // One index, in front of the pictures: it plays while it is still loading.
        #expect(parts(ofMP4: read(path)).map(\.kind) == ["ftyp", "moov", "free", "free", "mdat"])
        #expect(folder.names == ["a.mp4"])
    }

    /// White, black and colour are those that went in, now in a video's range.
    @Test func whatGoesInComesOut() throws {
        let path = folder.file("a.mp4")
        let writer = try MovieWriter(path: path, format: .small(.h264))
        try writer.write(scene: 0..<30)
        writer.finish()
        let frame = decoded(path, frame: 20)
        try #require(frame.count == 320 * 240 * 3 / 2)
        // A row without the bar: it is at 3 × 20 rows before the end.
        let row = 100 * 320
        let luma = [40, 120, 200, 280].map { Int(frame[row + $0]) }
        for (got, want) in zip(luma, [16, 126, 235, 145]) { #expect(abs(got - want) <= 2) }
        let chroma = 320 * 240 + 50 * 160 + 140
        #expect(abs(Int(frame[chroma]) - 68) <= 2)
        #expect(abs(Int(frame[chroma + 160 * 120]) - 191) <= 2)
    }

    @Test(arguments: RecordingCodec.allCases) func timesMayStandStillOrJump(codec: RecordingCodec) throws {
        let path = folder.file("a." + codec.suffix)
        let writer = try MovieWriter(path: path, format: .small(codec))
        let times: [Double] = [5, 5.033, 5.033, 5.066, 5.01, 5.1, 9.5, 9.533, 3609.5]
        for (number, time) in times.enumerated() { try writer.write(scene: number, at: .seconds(time)) }
        let result = writer.finish()
        #expect(result.failure == nil)
        let probe = Probe(path)
        #expect(probe.complaints == "")
        let expected = [0, 0.033, 0.066, 0.1, 4.5, 4.533, 3604.5]
        #expect(probe.times.count == expected.count)
        for (got, want) in zip(probe.times, expected) { #expect(abs(got - want) < 0.0006) }
        #expect(abs(probe.duration - 3604.5333) < 0.002)
    }

    /// A camera in the dark gives fewer frames than its rate; a crash must not cost more seconds for that.
    @Test func eachSecondHasAKeyFrame() throws {
        let path = folder.file("a.mp4")
        let writer = try MovieWriter(path: path, format: .small(.h264))
        try writer.write(scene: 0..<40, every: .milliseconds(200))
        writer.finish()
        let keys = run(
            "ffprobe -v error -skip_frame nokey -select_streams v -show_entries frame=pts_time -of csv=p=0 '\(path)'"
        ).split(separator: "\n").compactMap { Double($0.split(separator: ",").first ?? "") }
        #expect(keys.count == 8 && zip(keys, keys.dropFirst()).allSatisfy { $1 - $0 < 1.01 })
    }

    @Test(arguments: RecordingCodec.allCases) func noFrameLeavesNoFile(codec: RecordingCodec) throws {
        let writer = try MovieWriter(path: folder.file("a"), format: .small(codec))
        #expect(folder.names == ["a"])
        let result = writer.finish()
        #expect(result.frames == 0 && result.bytes == 0 && result.duration == .zero && result.failure == nil)
        #expect(folder.names == [])
    }

    @Test(arguments: RecordingCodec.allCases) func oneFrameIsAMovie(codec: RecordingCodec) throws {
        let path = folder.file("a")
        let writer = try MovieWriter(path: path, format: .small(codec))
        try writer.write(scene: 0..<1)
        #expect(writer.finish().failure == nil)
        Probe(path).expect(frames: 1)
    }

    @Test func aPathMayHaveAnyCharacters() throws {
        let path = folder.file("door 12:30%d ä?.mp4")
        let writer = try MovieWriter(path: path, format: .small(.h264))
        try writer.write(scene: 0..<5)
        #expect(writer.finish().failure == nil)
        #expect(folder.names == ["door 12:30%d ä?.mp4"])
    }

    @Test(arguments: [(321, 240), (320, 241), (8, 8), (20000, 240)])
    func sizesThatCannotBeAreRefused(width: Int, height: Int) {
        let format = MovieFormat(codec: .h264, width: width, height: height, rate: 30)
        let error = thrown { () throws(MovieError) in
            _ = try MovieWriter(path: folder.file("a"), format: format)
        }
        guard case .unsupported(let words)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(words.contains("\(width) × \(height)"))
        #expect(folder.names == [])
    }

    @Test func framesOfAnotherKindAreRefusedAndTheMovieGoesOn() throws {
        let writer = try MovieWriter(path: folder.file("a"), format: .small(.h264))
        let scene = Scene(width: 640, height: 480, number: 0)
        defer { scene.free() }
        for _ in 0..<2 {
            #expect(
                thrown { () throws(MovieError) in try writer.write(planes: scene.planes, at: .zero) }
                    == .unsupported("the frame is 640 × 480 (yuv420), not 320 × 240 (yuv420)"))
            #expect(
                thrown { () throws(MovieError) in try writer.write(jpeg: [0xff, 0xd8, 0, 0, 0], at: .zero) }
                    == .unsupported("the movie is h264, not mjpeg"))
        }
        try writer.write(scene: 0..<3)
        #expect(writer.finish().frames == 3)
        let jpegs = try MovieWriter(path: folder.file("b"), format: .small(.mjpeg))
        #expect(
            thrown { () throws(MovieError) in try jpegs.write(jpeg: [1, 2, 3, 4, 5], at: .zero) }
                == .unsupported("the frame is no JPEG"))
    }

    @Test func aFinishedMovieTakesNothingMore() throws {
        let writer = try MovieWriter(path: folder.file("a"), format: .small(.mjpeg))
        try writer.write(scene: 0..<3)
        let bytes = writer.finish().bytes
        #expect(throws: MovieError.self) { try writer.write(scene: 3..<4) }
        #expect(writer.finish().bytes == bytes && size(folder.file("a")) == bytes)
    }

    @Test func nothingIsOverwritten() throws {
        write([1, 2, 3], to: folder.file("a"))
        let error = thrown { () throws(MovieError) in
            _ = try MovieWriter(path: folder.file("a"), format: .small(.mjpeg))
        }
        #expect(error == .disk("can't create \(folder.file("a")): File exists"))
        #expect(read(folder.file("a")) == [1, 2, 3])
    }

    @Test(arguments: 0..<3) func aLibraryThatIsNotThereIsNamed(which: Int) {
        var libraries = MovieLibraries.installed
        let names = [\MovieLibraries.format, \.codec, \.util]
        libraries[keyPath: names[which]] = "libnowhere.so.1"
        let error = thrown { () throws(MovieError) in
            _ = try MovieWriter(path: folder.file("a"), format: .small(.mjpeg), libraries: libraries)
        }
        guard case .missing(let words)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(words.contains("libnowhere.so.1") && words.contains("install the package libavformat"))
        #expect(folder.names == [])
    }

    @Test func aLibraryOfAnotherKindIsRefused() {
        var libraries = MovieLibraries.installed
        libraries.codec = "libm.so.6"
        let error = thrown { () throws(MovieError) in
            _ = try MovieWriter(path: folder.file("a"), format: .small(.mjpeg), libraries: libraries)
        }
        guard case .missing(let words)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(words.contains("undefined symbol"))
    }
}
