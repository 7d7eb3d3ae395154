internal import Base
internal import CLinux
internal import Glibc

/// Limits of the disk. Tests set them; the defaults are those of the real disk.
struct MovieDisk: Sendable {
    /// The disk is full when the file has so many bytes.
    var maximumBytes = Int.max
    /// Whether room is kept ahead of the writing, where the file system can do that.
    var reserves = true
}

/// The file that a muxer writes.
///
/// Room is reserved ahead, so that a full disk is noticed while there is still room for the movie's end.
/// Where the file system can't do that, the file is cut off where it last was whole.
final class MovieFile {
    let path: String
    /// Bytes of the file.
    private(set) var size = 0
    /// What ended the writing. From then on nothing is written.
    private(set) var failure: MovieError?

    private let descriptor: Int32
    private let disk: MovieDisk
    /// The number of bytes of the file for which disk space is reserved.
    private var reserved = 0
    private var reserves: Bool
    /// The size at which the file was last playable.
    private var playableSize = 0
    private let showsWholeParts: Bool
    /// The beginning of the part that is being written, which isn't in the file yet.
    private var head: [UInt8] = []
    private static let headBytes = 8

    /// - Parameters:
    ///   - replacing: whether a file of this name may be replaced. A symbolic link is not followed.
    ///   - showsWholeParts: the header of each part of the file, which has its type, is written last.
    ///     Without them MP4 has an unknown part there, which players ignore, to the end of the file; many
    ///     take the whole file for broken when a known part is cut off.
    /// - Throws: ``MovieError/disk(_:)``, ``MovieError/full(_:)``.
    init(path: String, disk: MovieDisk, replacing: Bool, showsWholeParts: Bool = false) throws(MovieError) {
        descriptor =
            replacing
            ? clinux_make_file_anew(path, Files.mode) : clinux_make_file(path, Files.mode)
        self.path = path
        self.disk = disk
        self.showsWholeParts = showsWholeParts
        reserves = disk.reserves
        if descriptor < 0 { throw MovieError(doing: "create", path: path, code: -descriptor) }
    }

    deinit { close(descriptor) }

    /// Reserves space for data that is to be written.
    ///
    /// - Parameters:
    ///   - bytes: how many, from the end of the file.
    ///   - more: how many in addition if these aren't reserved yet, so that not each frame needs a call.
    /// - Throws: ``MovieError/full(_:)``; all that had room before still has.
    func reserve(_ bytes: Int, more: Int = 0) throws(MovieError) {
        if !reserves || size + bytes <= reserved { return }
        for wanted in [bytes + more, bytes] {
            var result = clinux_reserve(descriptor, off_t(size), off_t(wanted))
            if size + wanted > disk.maximumBytes { result = -ENOSPC }
            if result == 0 { return reserved = size + wanted }
            // The file system can't reserve space; the recording continues without.
            if !MovieError.isFull(-result) { return reserves = false }
        }
        throw MovieError(doing: "write", path: path, code: ENOSPC)
    }

    /// Writes bytes at an offset. 0, or -errno.
    func write(_ bytes: UnsafePointer<UInt8>, count: Int, at offset: Int) -> Int32 {
        if failure != nil { return -EIO }
        var (bytes, count, offset) = (bytes, count, offset)
        if showsWholeParts && offset < playableSize + Self.headBytes {
            guard offset == playableSize + head.count else { return -ESPIPE }
            let missing = min(count, Self.headBytes - head.count)
            head += UnsafeBufferPointer(start: bytes, count: missing)
            (bytes, count, offset) = (bytes + missing, count - missing, offset + missing)
        }
        return put(bytes, count: count, at: offset)
    }

    private func put(_ bytes: UnsafePointer<UInt8>, count: Int, at offset: Int) -> Int32 {
        let room = max(0, min(count, disk.maximumBytes - offset))
        var result = clinux_write_all_at(descriptor, bytes, room, off_t(offset))
        if result == 0 && room < count { result = -ENOSPC }
        if result < 0 {
            failure = MovieError(doing: "write", path: path, code: -result)
        } else if count > 0 {
            size = max(size, offset + count)
        }
        return result
    }

    /// Marks the file as playable as it is now, including all that was written since the last call.
    func markPlayable() {
        if !head.isEmpty && failure == nil {
            _ = put(head, count: head.count, at: playableSize)
            head.removeAll(keepingCapacity: true)
        }
        if failure == nil { playableSize = size }
    }

    /// Frees reserved space, cuts off the rest of a failed write, and syncs the file to the disk.
    func settle() throws(MovieError) {
        if failure != nil { size = playableSize }
        var result = clinux_truncate(descriptor, off_t(size))
        reserved = 0
        if result == 0 { result = clinux_fsync(descriptor) }
        if result < 0 { throw MovieError(doing: "write", path: path, code: -result) }
    }

    /// Deletes the file.
    func remove() {
        clinux_unlink(path)
        size = 0
    }

    /// Replaces another file by this one.
    func replace(_ other: String) throws(MovieError) {
        do throws(FileError) {
            try Files.rename(path, to: other)
        } catch {
            throw MovieError(doing: "replace", path: other, code: error.code)
        }
    }
}
