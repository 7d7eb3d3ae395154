internal import Base
internal import CLinux
internal import Contract
internal import Glibc

/// The local file of a copy. Its part stays there if the program is ended: the next run goes on.
package final class LocalCopy: CopyFile {
    private let path: String
    private let replaces: Bool
    /// Of the open part.
    private let descriptor: Int32
    package let bytes: Int

    private var part: String { path + ".part" }

    /// Opens the part that an interrupted copy has left, or makes an empty one.
    ///
    /// - Parameters:
    ///   - replaces: whether a file that is there is replaced in the end.
    ///   - bytes: of the whole file.
    package init(_ path: String, replaces: Bool, bytes: Int) throws(Ending) {
        var status = stat()
        if !replaces && lstat(path, &status) == 0 { throw Self.exists(path) }
        let part = path + ".part"
        descriptor = clinux_open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, Files.mode)
        (self.path, self.replaces) = (path, replaces)
        if descriptor < 0 { throw Ending(writing: part, code: -descriptor) }
        do throws(Ending) {
            self.bytes = try Self.prepare(part, descriptor, bytes)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// - Returns: the bytes that are there.
    private static func prepare(_ part: String, _ descriptor: Int32, _ bytes: Int) throws(Ending) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .failed(.device, "\(part) is no regular file.")
        }
        if clinux_try_lock(descriptor) < 0 {
            throw .failed(.busy, "\(part): another program is writing it.")
        }
        let end = lseek(descriptor, 0, SEEK_END)
        if end < 0 { throw Ending(writing: part, code: errno) }
        // A part that is longer is of another version, and emptied.
        let needed = bytes - min(bytes, Int(end))
        var disk = statvfs()
        if fstatvfs(descriptor, &disk) == 0, UInt(needed) / disk.f_frsize > disk.f_bavail {
            throw .failed(.storageFull, "\(part): there is no room for \(needed.bytesText) more.")
        }
        return Int(end)
    }

    package func restart() throws(Ending) {
        if ftruncate(descriptor, 0) < 0 || lseek(descriptor, 0, SEEK_SET) < 0 {
            throw Ending(writing: part, code: errno)
        }
    }

    package func append(_ bytes: [UInt8]) throws(Ending) {
        let code = clinux_write_all(descriptor, bytes, bytes.count)
        if code < 0 { throw Ending(writing: part, code: -code) }
    }

    package func finish(sha256: String) throws(Ending) -> Bool {
        var digest = SHA256()
        do throws(FileError) {
            _ = try Files.eachPart(of: descriptor, part) { digest.update($0) }
            guard Hexadecimal.text(of: digest.finish()) == sha256 else { return false }
            try Files.check(clinux_fsync(descriptor), doing: "sync", part)
            try Files.complete(part, as: path, replacing: replaces)
            return true
        } catch {
            throw error.code == EEXIST ? Self.exists(path) : Ending(writing: part, code: error.code)
        }
    }

    private static func exists(_ path: String) -> Ending {
        .failed(.conflict, "\(path) exists already; --force replaces it.")
    }
}

extension Ending {
    /// A local file can't be written.
    init(writing path: String, code: Int32) {
        self.init(writing: path, FileError(doing: "write", path: path, code: code))
    }

    init(writing path: String, _ error: FileError) {
        self = .failed(
            error.isFull ? .storageFull : .device, "\(path) can't be written: \(error.reason)")
    }
}
