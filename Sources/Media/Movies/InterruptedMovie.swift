internal import Base
internal import CAV
internal import CLinux
internal import Glibc

/// A movie whose writing was cut off by a crash or a power cut, as far as it plays.
struct InterruptedMovie: Sendable, Equatable {
    /// The size of the file; 0: no frame was in it, so it was deleted.
    let bytes: Int
    /// Pictures in the file.
    let frames: Int
    /// From the first picture to the end of the last one, which is as long as the others on average.
    let duration: Duration
    /// Why the disk may not have the file and its name.
    var failure: MovieError?

    /// Reads a movie to the place where it was cut off, frees the disk space that is reserved beyond the end
    /// of the file, and waits until the disk has the file and its name. A file without a frame is deleted.
    /// Blocks for as long as that takes.
    ///
    /// - Returns: nil when no regular file has this name.
    /// - Throws: ``MovieError/missing(_:)``, ``MovieError/disk(_:)``; ``MovieError/codec(_:)`` when it isn't
    ///   a movie. The file is kept then.
    static func recover(
        _ path: String, libraries: MovieLibraries = .installed
    ) throws(MovieError) -> InterruptedMovie? {
        guard let bytes = try size(path) else { return nil }
        let libraries = try libraries.load()
        defer { withExtendedLifetime(libraries) { clinux_trim_heap() } }
        var contents = cav_contents()
        // What has a colon isn't to be taken for a URL of another kind.
        let result = cav_read("file:" + path, &contents)
        let frames = Int(contents.pictures)
        if frames == 0 {
            if result < 0 && bytes > 0 { throw MovieError(doing: "read \(path)", error: result) }
            clinux_unlink(path)
            return InterruptedMovie(bytes: 0, frames: 0, duration: .zero)
        }
        let interval = frames > 1 ? contents.last / Double(frames - 1) : 0
        var movie = InterruptedMovie(
            bytes: bytes, frames: frames, duration: .seconds(contents.last + interval))
        do throws(FileError) {
            try settle(path, bytes)
        } catch {
            movie.failure = MovieError(error)
        }
        return movie
    }

    /// The bytes of a regular file; nil: there is none.
    private static func size(_ path: String) throws(MovieError) -> Int? {
        var (bytes, made): (Int64, Int64) = (0, 0)
        let result = clinux_stat(path, &bytes, &made)
        if result == -ENOENT || result == -ENOTDIR { return nil }
        if result < 0 { throw MovieError(doing: "read", path: path, code: -result) }
        return Int(bytes)
    }

    private static func settle(_ path: String, _ bytes: Int) throws(FileError) {
        try Files.withFile(path, O_RDWR | O_NOFOLLOW) { descriptor throws(FileError) in
            try Files.check(clinux_truncate(descriptor, off_t(bytes)), doing: "write", path)
            try Files.check(clinux_fsync(descriptor), doing: "sync", path)
        }
        try Files.sync(folderOf: path)
    }
}
