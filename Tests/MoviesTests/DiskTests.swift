import Glibc
import Settings
import TestSupport
import Testing

@testable import Media

/// A disk that is full, before, in the middle and at the end.
@Suite(.timeLimit(.minutes(10))) struct DiskTests {
    let folder = TemporaryFolder()

    /// Writes until the disk is full, or 90 frames.
    private func record(
        _ codec: RecordingCodec, disk: MovieDisk, path: String, sound: SoundFormat? = nil
    ) throws -> (result: MovieResult, full: MovieError?) {
        let writer = try MovieWriter(path: path, format: .small(codec, rate: 10, sound: sound), disk: disk)
        var full: MovieError?
        for number in 0..<90 where full == nil {
            full = thrown { () throws(MovieError) in
                try writer.writeTyped(scene: number, at: .milliseconds(100 * number))
                if sound != nil {
                    try writer.write(
                        sound: [Int16](repeating: 99, count: 1600), at: .milliseconds(100 * number))
                }
            }
        }
        if let full {
            let again = thrown { () throws(MovieError) in
                try writer.writeTyped(scene: 90, at: .seconds(9))
            }
            #expect(again == full)
        }
        return (writer.finish(), full)
    }

    private func expectFull(_ error: MovieError?, _ location: SourceLocation = #_sourceLocation) {
        guard case .full(let words)? = error else {
            Issue.record("\(String(describing: error))", sourceLocation: location)
            return
        }
        #expect(words.contains("No space left on device"), sourceLocation: location)
    }

    @Test(arguments: RecordingCodec.allCases) func otherUsersMayNotReadAMovie(codec: RecordingCodec) throws {
        let writer = try MovieWriter(path: folder.file("a"), format: .small(codec))
        try writer.write(scene: 0..<2)
        #expect(folder.permissions(of: "a") == lessUmask(0o640))
        #expect(writer.finish().failure == nil)
        #expect(folder.permissions(of: "a") == lessUmask(0o640))
    }

    @Test func aLinkIsNeverWrittenThrough() throws {
        let foreign = folder.write("foreign", to: "foreign")
        folder.link("a", to: foreign)
        #expect(throws: MovieError.self) {
            try MovieWriter(path: folder.file("a"), format: .small(.h264))
        }
        // The end of a movie makes a file of this name.
        folder.link("b" + MovieWriter.partSuffix, to: foreign)
        let writer = try MovieWriter(path: folder.file("b"), format: .small(.h264))
        try writer.write(scene: 0..<2)
        #expect(!writer.finish().isProvisional)
        #expect(read(foreign) == Array("foreign".utf8))
        #expect(folder.names == ["a", "b", "foreign"])
    }

    /// Without room that is kept ahead the disk refuses in the middle of a write: the file ends where it was
    /// whole.
    @Test(arguments: [
        (RecordingCodec.mjpeg, 40_000), (.mjpeg, 70_001), (.mjpeg, 123_456), (.h264, 2_500), (.h264, 4_097),
        (.h264, 7_000),
    ])
    func aWriteThatFailsLeavesAFileThatPlays(codec: RecordingCodec, room: Int) throws {
        var disk = MovieDisk()
        (disk.reserves, disk.maximumBytes) = (false, room)
        let path = folder.file("a." + codec.suffix)
        let (result, full) = try record(codec, disk: disk, path: path)
        expectFull(full)
        #expect(result.failure == full && result.isProvisional)
        #expect(result.bytes == size(path) && result.bytes <= disk.maximumBytes)
        #expect(result.frames > 0 && result.frames < 90)
        Probe(path).expect(frames: result.frames)
        #expect(folder.names == ["a." + codec.suffix])
    }

    /// With it, even the end of the file is written: players can seek, and know how long it is.
    @Test(arguments: RecordingCodec.allCases, [SoundFormat(rate: 16000, channels: 1), nil])
    func roomIsKeptForTheEnd(codec: RecordingCodec, sound: SoundFormat?) throws {
        var disk = MovieDisk()
        disk.maximumBytes = 1_700_000
        let path = folder.file("a." + codec.suffix)
        let writer = try MovieWriter(path: path, format: .small(codec, rate: 10, sound: sound), disk: disk)
        var number = 0
        var full: MovieError?
        // Frames that x264 can't make small.
        while full == nil && number < 900 {
            full = thrown { () throws(MovieError) in
                try writer.writeNoise(number, at: .milliseconds(100 * number))
                if sound != nil {
                    try writer.write(
                        sound: [Int16](repeating: 99, count: 1600), at: .milliseconds(100 * number))
                }
            }
            number += 1
        }
        expectFull(full)
        let result = writer.finish()
        #expect(result.failure == full)
        #expect(result.bytes == size(path) && result.bytes < disk.maximumBytes)
        let probe = Probe(path)
        // With sound, the last picture or two may wait for theirs.
        #expect(result.frames >= number - 2)
        probe.expect(frames: result.frames)
        #expect(abs(probe.duration - Double(result.frames) / 10) < 0.2)
        #expect(folder.names == ["a." + codec.suffix])
    }

    @Test(arguments: RecordingCodec.allCases) func aFullDiskIsToldAtTheBeginning(codec: RecordingCodec) {
        var disk = MovieDisk()
        disk.maximumBytes = 10_000
        expectFull(
            thrown { () throws(MovieError) in
                _ = try MovieWriter(path: folder.file("a"), format: .small(codec), disk: disk)
            })
        #expect(folder.names == [])
    }

    @Test(arguments: RecordingCodec.allCases) func noRoomForTheFirstFrameLeavesNoFile(codec: RecordingCodec)
        throws
    {
        var disk = MovieDisk()
        (disk.reserves, disk.maximumBytes) = (false, 300)
        let (result, full) = try record(codec, disk: disk, path: folder.file("a"))
        expectFull(full ?? result.failure)
        #expect(result.frames == 0 && result.bytes == 0 && result.duration == .zero)
        #expect(folder.names == [])
    }

    /// The copy needs as much room as the movie: without it, the fragments stay.
    @Test func noRoomForThePlainFileLeavesTheFragments() throws {
        var disk = MovieDisk()
        let path = folder.file("a.mp4")
        let frames = 50
        (disk.reserves, disk.maximumBytes) = (false, 10_000)
        let writer = try MovieWriter(path: path, format: .small(.h264, rate: 10), disk: disk)
        for number in 0..<frames { try writer.write(scene: number, at: .milliseconds(100 * number)) }
        // What the copy's index alone takes is more than the disk has beside it.
        let result = writer.finish()
        #expect(result.failure == nil, "all of it is there")
        expectFull(result.finalizationError)
        #expect(result.isProvisional && result.frames == frames && result.bytes == size(path))
        Probe(path).expect(frames: frames)
        #expect(folder.names == ["a.mp4"])
    }

    /// A real disk of 3 MB. Needs the right to mount one.
    @Test(
        .enabled(if: geteuid() == 0 && TinyDisk() != nil), arguments: RecordingCodec.allCases, [true, false])
    func aRealDiskFillsUp(codec: RecordingCodec, reserves: Bool) throws {
        let disk = try #require(TinyDisk())
        let path = disk.folder.file("a." + codec.suffix)
        var settings = MovieDisk()
        settings.reserves = reserves
        let writer = try MovieWriter(path: path, format: .small(codec, rate: 10), disk: settings)
        var full: MovieError?
        var number = 0
        while full == nil && number < 900 {
            full = thrown { () throws(MovieError) in
                try writer.writeNoise(number, at: .milliseconds(100 * number))
            }
            number += 1
        }
        expectFull(full)
        let result = writer.finish()
        #expect(result.failure == full)
        #expect(result.isProvisional == (codec == .h264 || !reserves))
        #expect(result.frames > 10 && result.bytes == size(path) && result.bytes > 1_000_000)
        Probe(path).expect(frames: result.frames)
        #expect(disk.folder.names == ["a." + codec.suffix])
    }
}
