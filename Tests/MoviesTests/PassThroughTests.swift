import Movies
import Testing

/// A camera's own H.264, as V4L2 gives it.
@Suite(.timeLimit(.minutes(1))) struct PassThroughTests {
    let folder = TemporaryFolder()

    /// Three seconds at 10 frames per second, a key frame each second; one access unit a frame.
    private func camera(_ parameters: String = "") -> [[UInt8]] {
        let stream = bytes(
            of:
                "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=320x240:rate=10:duration=3 -pix_fmt yuv420p -c:v libx264 "
                + "-preset veryfast -x264-params 'aud=1:keyint=10:min-keyint=10:scenecut=0:bframes=0:repeat-headers=1\(parameters)' "
                + "-f h264 -")
        // Each access unit begins with a delimiter, a unit of type 9.
        let starts = stream.indices.filter { stream[$0...].starts(with: [0, 0, 0, 1, 9]) }
        return zip(starts, starts.dropFirst() + [stream.count]).map { Array(stream[$0..<$1]) }
    }

    /// The types of the units of an access unit, whose start codes have a zero before them or not.
    private func types(_ accessUnit: [UInt8]) -> [UInt8] {
        accessUnit.indices.dropLast(3).filter { accessUnit[$0...].starts(with: [0, 0, 1]) }
            .map { accessUnit[$0 + 3] & 0x1f }
    }

    private func isKey(_ accessUnit: [UInt8]) -> Bool { types(accessUnit).contains(5) }

    private func write(
        _ frames: [[UInt8]], to path: String, from first: Int = 0, isKey: ([UInt8]) -> Bool
    ) throws -> MovieResult {
        let writer = try MovieWriter(path: path, format: .small(.h264, rate: 10))
        for (number, frame) in frames.enumerated().dropFirst(first) {
            try frame.withUnsafeBufferPointer {
                try writer.write(h264: $0, isKey: isKey(frame), at: .milliseconds(100 * number))
            }
        }
        #expect(writer.encoder == nil)
        return writer.finish()
    }

    @Test(arguments: ["", ":slices=4"]) func itIsKeptAsItIs(parameters: String) throws {
        let frames = camera(parameters)
        try #require(frames.count == 30)
        let path = folder.file("a.mp4")
        let result = try write(frames, to: path, isKey: isKey)
        #expect(result.trouble == nil && !result.isProvisional && result.frames == 30)
        #expect(result.encoder == nil)
        let probe = Probe(path)
        probe.expect(frames: 30)
        #expect(probe.video["codec_name"] == "h264" && probe.video["is_avc"] == "true")
        #expect(abs(probe.duration - 3) < 0.01)
        MoviesTests.write(frames.joined(), to: folder.file("camera.h264"))
        let hash = { (name: String) in
            run(
                "ffmpeg -nostdin -v error -i '\(folder.file(name))' -fps_mode passthrough -f md5 -map v -c:v rawvideo -"
            )
        }
        #expect(hash("a.mp4") == hash("camera.h264"))
        let keys = run(
            "ffprobe -v error -skip_frame nokey -show_entries frame=pts_time -of csv=p=0 '\(path)' | grep -c ."
        )
        #expect(keys == "3\n")
    }

    /// Parameter sets are in the file's head: in a frame of avc1 they have no place.
    @Test func framesInTheFileHaveSlicesAndWordsOnly() throws {
        let path = folder.file("a.mp4")
        _ = try write(camera(), to: path, isKey: isKey)
        let units = run(
            "ffmpeg -nostdin -v trace -i '\(path)' -c copy -bsf:v trace_headers -f null - 2>&1 | grep -oE 'nal_unit_type +[01]+ = [0-9]+'"
        )
        let types = Set(
            units.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) })
        // Those of the head are shown as well, as extradata.
        #expect(types.subtracting(["7", "8"]) == ["1", "5", "6"])
        #expect(units.split(separator: "\n").count { $0.hasSuffix(" 7") } == 1)
    }

    @Test func theMovieBeginsAtAKeyFrame() throws {
        let path = folder.file("a.mp4")
        let result = try write(camera(), to: path, from: 3, isKey: isKey)
        #expect(result.frames == 20)
        let probe = Probe(path)
        probe.expect(frames: 20)
        #expect(probe.times.first == 0)
    }

    /// Some cameras give their parameter sets but once, and mark nothing as key frames.
    @Test func parameterSetsMayComeBeforeAndOnce() throws {
        let frames = camera(":repeat-headers=1")
        let sets = frames[0]
        let bare = frames.dropFirst(10).map { frame -> [UInt8] in
            // Without delimiter and parameter sets: from the first unit of another type.
            let start = frame.indices.first { index in
                frame[index...].starts(with: [0, 0, 1]) && ![9, 7, 8].contains(frame[index + 3] & 0x1f)
            }
            return Array(frame[(start ?? 0)...])
        }
        let path = folder.file("a.mp4")
        let result = try write([sets] + bare, to: path) { _ in false }
        #expect(result.frames == 21)
        Probe(path).expect(frames: 21)
    }

    @Test func aFrameWithTheTimeOfTheOneBeforeIsKept() throws {
        let path = folder.file("a.mp4")
        let writer = try MovieWriter(path: path, format: .small(.h264, rate: 10))
        for (number, frame) in camera().enumerated() {
            try frame.withUnsafeBufferPointer {
                try writer.write(h264: $0, isKey: isKey(frame), at: .milliseconds(200 * (number / 2)))
            }
        }
        #expect(writer.finish().frames == 30)
        Probe(path).expect(frames: 30)
    }

    @Test func anotherSizeEndsTheMovie() throws {
        let other = bytes(
            of:
                "ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=640x480:rate=10:duration=0.1 -pix_fmt yuv420p -c:v libx264 -f h264 -"
        )
        let path = folder.file("a.mp4")
        let writer = try MovieWriter(path: path, format: .small(.h264, rate: 10))
        var error: MovieError?
        for (number, frame) in (camera() + [other, other]).enumerated() {
            error = frame.withUnsafeBufferPointer { frame in
                thrown { () throws(MovieError) in
                    try writer.write(h264: frame, isKey: false, at: .milliseconds(100 * number))
                }
            }
        }
        #expect(error == .unsupported("the camera's H.264 has changed its size or kind"))
        let result = writer.finish()
        #expect(result.trouble == error && result.frames == 30 && !result.isProvisional)
        Probe(path).expect(frames: 30)
    }

    @Test func bytesThatAreNoH264AreNoFrames() throws {
        let writer = try MovieWriter(path: folder.file("a.mp4"), format: .small(.h264, rate: 10))
        for bytes: [UInt8] in [
            [], [0], [0, 0, 1], [0, 0, 0, 1, 9], [7, 7, 7, 7], [0, 0, 1, 7, 0, 0, 1, 8, 0, 0, 1, 5],
        ] {
            bytes.withUnsafeBufferPointer { bytes in
                _ = thrown { () throws(MovieError) in
                    try writer.write(h264: bytes, isKey: false, at: .zero)
                }
            }
        }
        writer.finish()
    }
}
