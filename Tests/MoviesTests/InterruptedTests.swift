import Settings
import TestSupport
import Testing

@testable import Media

/// Files that a crash cut off, and what is found in them by the next run.
@Suite(.timeLimit(.minutes(10))) struct InterruptedTests {
    let folder = TemporaryFolder()

    /// Writes frames at ten per second, and lets the writer go, as the end of the process does.
    private func interrupted(
        _ codec: RecordingCodec, frames: Int, sound: SoundFormat? = nil, name: String = "a"
    ) throws -> String {
        let path = folder.file(name + "." + codec.suffix)
        let writer = try MovieWriter(path: path, format: .small(codec, rate: 10, sound: sound))
        for number in 0..<frames {
            try writer.write(scene: number, at: .milliseconds(100 * number))
            if let sound {
                let samples = [Int16](repeating: 1000, count: sound.rate / 10 * sound.channels)
                try writer.write(sound: samples, at: .milliseconds(100 * number))
            }
        }
        return path
    }

    /// The bytes that a file has on the disk, with those that are reserved.
    private func bytesOnDisk(_ path: String) -> Int {
        512 * (Int(run("stat -c %b '\(path)'").dropLast()) ?? -1)
    }

    @Test(arguments: RecordingCodec.allCases) func whatPlaysIsFound(codec: RecordingCodec) throws {
        let path = try interrupted(codec, frames: 40)
        let bytes = size(path)
        let movie = try #require(try InterruptedMovie.recover(path))
        #expect(movie.failure == nil && movie.bytes == bytes && size(path) == bytes)
        #expect(movie.frames >= 29)
        #expect(abs(movie.duration / .seconds(1) - Double(movie.frames) / 10) < 0.002)
        Probe(path).expect(frames: movie.frames)
        #expect(bytesOnDisk(path) < bytes + 65_536, "reserved space is freed")
        #expect(folder.names == ["a." + codec.suffix])
        #expect(try InterruptedMovie.recover(path) == movie)
    }

    @Test func soundDoesNotCount() throws {
        let path = try interrupted(.h264, frames: 40, sound: SoundFormat(rate: 16000, channels: 1))
        let movie = try #require(try InterruptedMovie.recover(path))
        #expect((29...40).contains(movie.frames))
        #expect(abs(movie.duration / .seconds(1) - Double(movie.frames) / 10) < 0.002)
    }

    /// A write that was done in part.
    @Test(arguments: [1, 100, 700]) func aFrameThatWasCutOffDoesNotCount(missing: Int) throws {
        let path = try interrupted(.mjpeg, frames: 20)
        let whole = try #require(try InterruptedMovie.recover(path))
        write(read(path).dropLast(missing), to: path)
        let movie = try #require(try InterruptedMovie.recover(path))
        #expect(movie.frames == whole.frames - 1 && movie.bytes == whole.bytes - missing)
        #expect(Probe(path).times.count == movie.frames)
    }

    /// Killed before the first second was over: there is a head, and no frame.
    @Test func aFileWithoutAFrameIsDeleted() throws {
        let path = try interrupted(.h264, frames: 3)
        #expect(size(path) > 0)
        let movie = try #require(try InterruptedMovie.recover(path))
        #expect(movie.bytes == 0 && movie.frames == 0 && movie.duration == .zero)
        #expect(folder.names.isEmpty)
    }

    @Test func anEmptyFileIsDeleted() throws {
        write([], to: folder.file("a.mkv"))
        #expect(try InterruptedMovie.recover(folder.file("a.mkv"))?.frames == 0)
        #expect(folder.names.isEmpty)
    }

    /// What is in it is known all the same.
    @Test func aFolderThatCannotBeSyncedIsAnError() throws {
        let movie = try folder.withUnreadable("closed") {
            try InterruptedMovie.recover(interrupted(.mjpeg, frames: 20, name: "closed/a"))
        }
        #expect(movie?.failure == .disk("can't open \(folder.file("closed")): Permission denied"))
        #expect(movie?.bytes == size(folder.file("closed/a.mkv")) && (movie?.frames ?? 0) >= 18)
    }

    @Test func aFileThatIsGoneIsNotFound() throws {
        #expect(try InterruptedMovie.recover(folder.file("a.mp4")) == nil)
        #expect(try InterruptedMovie.recover(folder.file("nowhere/a.mp4")) == nil)
    }

    @Test func whatIsNoMovieIsKept() throws {
        let path = folder.file("a.mp4")
        write([UInt8](repeating: 0, count: 10_000), to: path)
        let error = thrown { () throws(MovieError) in _ = try InterruptedMovie.recover(path) }
        guard case .codec(let words)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(words.contains(path) && size(path) == 10_000)
    }
}
