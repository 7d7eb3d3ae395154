import TestSupport
import Testing

@testable import Media
@testable import Settings

/// What a file is worth when its writing just ends. Each test cuts a file off as `kill -9` would, at any
/// byte: what a process has given to the system stays, and a write may have been done in part.
@Suite(.timeLimit(.minutes(10))) struct CrashTests {
    let folder = TemporaryFolder()

    /// The file as it was while the movie was written, after each frame: its size. And the last of it.
    private func recorded(
        _ codec: RecordingCodec, sound: SoundFormat? = nil, encoding: RecordingEncoding = RecordingEncoding()
    ) throws -> (sizes: [Int], bytes: [UInt8]) {
        let path = folder.file("running." + codec.suffix)
        let format = MovieFormat(
            codec: codec, width: 320, height: 240, rate: 10, sound: sound, encoding: encoding)
        let writer = try MovieWriter(path: path, format: format)
        var sizes: [Int] = []
        for number in 0..<50 {
            try writer.write(scene: number, at: .milliseconds(100 * number))
            if let sound {
                let samples = [Int16](repeating: 1000, count: sound.rate / 10 * sound.channels)
                try writer.write(sound: samples, at: .milliseconds(100 * number))
            }
            #expect(size(path) == writer.bytes)
            sizes.append(writer.bytes)
        }
        return (sizes, read(path))
    }

    /// Pictures that can be read, in a file that is cut off here. A player that meets the cut may complain of
    /// it, but plays.
    private func playable(_ bytes: some Collection<UInt8>, _ name: String) -> Int {
        write(bytes, to: folder.file(name))
        return run(
            "ffprobe -v quiet -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 '\(folder.file(name))'"
        ).split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
    }

    @Test(arguments: RecordingCodec.allCases) func atAnyFrameOnlyTheLastSecondIsLost(codec: RecordingCodec)
        throws
    {
        let (sizes, bytes) = try recorded(codec)
        for number in stride(from: 12, to: 50, by: 6) {
            let frames = playable(bytes.prefix(sizes[number]), "cut." + codec.suffix)
            // The frames of one second, and the one that ended it.
            #expect(number + 1 - frames <= (codec == .h264 ? 11 : 1), "killed after frame \(number)")
        }
        let path = folder.file("whole." + codec.suffix)
        write(bytes, to: path)
        #expect(run("ffmpeg -nostdin -v error -i '\(path)' -f null -") == "")
    }

    /// Fragments are shorter than the interval of key frames.
    @Test(arguments: [nil, SoundFormat(rate: 16000, channels: 1)])
    func withoutKeyFramesItIsNotMore(sound: SoundFormat?) throws {
        let (sizes, bytes) = try recorded(.h264, sound: sound, encoding: .init(keyFrameSeconds: 60))
        for number in stride(from: 12, to: 50, by: 6) {
            let frames = playable(bytes.prefix(sizes[number]), "cut.mp4")
            #expect(number + 1 - frames <= 13, "killed after frame \(number)")
        }
        let path = folder.file("whole.mp4")
        write(bytes, to: path)
        #expect(run("ffmpeg -nostdin -v error -i '\(path)' -f null -") == "")
    }

    @Test func withSoundItIsNotMore() throws {
        let (sizes, bytes) = try recorded(.h264, sound: SoundFormat(rate: 16000, channels: 1))
        for number in [15, 33, 49] {
            let frames = playable(bytes.prefix(sizes[number]), "cut.mp4")
            #expect(number + 1 - frames <= 13, "killed after frame \(number)")
        }
    }

    /// A fragment that was written in part costs itself, not what is before it: its beginning is written
    /// last.
    @Test func aFragmentWrittenInPartCostsNoOther() throws {
        let (_, bytes) = try recorded(.h264)
        let fragments = parts(ofMP4: bytes).filter { $0.kind == "moof" }.map(\.start) + [bytes.count]
        try #require(fragments.count == 5)
        for (index, start) in fragments.enumerated().dropFirst().dropLast() {
            var cuts = [9, 16, 40, 100, fragments[index + 1] - start - 1]
            cuts.append(Int.random(in: cuts[0]...cuts[4]))
            for cut in cuts {
                let file = Array(bytes[..<start]) + [UInt8](repeating: 0, count: 8)
                let path = folder.file("cut.mp4")
                write(file + bytes[start + 8..<start + cut], to: path)
                #expect(run("ffmpeg -nostdin -v error -i '\(path)' -f null -") == "", "cut at \(start + cut)")
                #expect(playable(read(path), "read.mp4") == 10 * index)
            }
        }
    }

    /// Seen from outside at each moment: what is in the file never begins a part that isn't all there.
    @Test func theBeginningOfAPartIsWrittenLast() throws {
        let path = folder.file("a.mp4")
        var disk = MovieDisk()
        (disk.reserves, disk.maximumBytes) = (false, 60_000)
        let writer = try MovieWriter(path: path, format: .small(.h264, rate: 10), disk: disk)
        var number = 0
        while thrown(by: { () throws(MovieError) in
            try writer.writeNoise(number, at: .milliseconds(100 * number))
        }) == nil { number += 1 }
        let bytes = read(path)
        #expect(bytes.count == disk.maximumBytes)
        let kinds = parts(ofMP4: bytes).map(\.kind)
        #expect(kinds == ["ftyp", "moov", "\0\0\0\0"])
    }

    @Test func aCutInMatroskaCostsOneFrame() throws {
        let (sizes, bytes) = try recorded(.mjpeg)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<15 {
            let cut = Int.random(in: sizes[2]..<bytes.count, using: &random)
            // Each frame is written when the next one comes.
            let written = sizes.lastIndex { $0 <= cut } ?? 0
            #expect(playable(bytes.prefix(cut), "cut.mkv") >= written - 1, "cut at \(cut) of \(bytes.count)")
        }
    }

    /// Between the copy and its taking the file's place.
    @Test func whatIsLeftOfTheEndIsBesideTheMovie() throws {
        #expect(MovieWriter.partSuffix == ".part")
        let path = folder.file("a.mp4")
        write([1, 2, 3], to: path + ".part")
        let writer = try MovieWriter(path: path, format: .small(.h264))
        try writer.write(scene: 0..<10)
        #expect(writer.finish().failure == nil)
        #expect(folder.names == ["a.mp4"])
        Probe(path).expect(frames: 10)
    }

    @Test func anEndThatFailsLeavesTheMovieInFragments() throws {
        let path = folder.file("a.mp4")
        _ = run("mkdir '\(path).part'")
        let writer = try MovieWriter(path: path, format: .small(.h264))
        try writer.write(scene: 0..<40)
        let result = writer.finish()
        #expect(result.finalizationError == .disk("can't create \(path).part: Is a directory"))
        #expect(result.isProvisional && result.frames == 40 && result.bytes == size(path))
        Probe(path).expect(frames: 40)
    }

    @Test(arguments: RecordingCodec.allCases)
    func aFolderThatCannotBeSyncedIsAnError(codec: RecordingCodec) throws {
        let path = folder.file("closed/a." + codec.suffix)
        let result = try folder.withUnreadable("closed") {
            let writer = try MovieWriter(path: path, format: .small(codec))
            try writer.write(scene: 0..<10)
            return writer.finish()
        }
        #expect(result.failure == .disk("can't open \(folder.file("closed")): Permission denied"))
        #expect(result.finalizationError == nil && !result.isProvisional && result.bytes == size(path))
        #expect(folder.names(in: "closed") == ["a." + codec.suffix])
    }

    /// A writer that is let go, as when its thread ends in an error, leaves what a crash does.
    @Test func aWriterThatIsLetGoLeavesWhatWasWritten() throws {
        let path = folder.file("a.mp4")
        do {
            let writer = try MovieWriter(path: path, format: .small(.h264))
            try writer.write(scene: 0..<40)
        }
        #expect(playable(read(path), "b.mp4") >= 29)
    }
}
