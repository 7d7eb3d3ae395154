internal import CLinux
internal import Glibc
package import Messages

/// The state file of a rollout. It is replaced as a whole, and is on the disk when that is done. One program
/// at a time uses it.
package final class RolloutFile {
    /// The longest state file that is read.
    private static let longest = 64 << 20

    private let path: String
    /// Of the file beside it that is locked; -1: it isn't open.
    private var lock: Int32 = -1

    package init(_ path: String) { self.path = path }

    deinit { if lock >= 0 { close(lock) } }

    /// Locks the file for this program, until its end.
    ///
    /// The lock is that of a file beside it, which stays: to remove it could let two programs in.
    ///
    /// - Throws: an error if another program uses it, if it is no regular file, or if its folder can't be
    ///   written.
    package func open() throws(CommandError) {
        var status = stat()
        // A pipe would be waited for, and a device would be replaced.
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw CommandError(.device, "\(path) is no regular file.")
        }
        let name = "\(path).lock"
        lock = clinux_open(name, O_RDWR | O_CREAT | O_NOFOLLOW, mode_t(CLINUX_FILE_MODE))
        if lock < 0 { throw Self.failure(name, "written", lock) }
        if clinux_try_lock(lock) < 0 {
            throw CommandError(.busy, "\(path): another rollout is using it.")
        }
    }

    /// - Returns: its bytes; nil: there is no such file.
    package func read() throws(CommandError) -> [UInt8]? {
        do throws(CommandError) {
            return try Self.bytes(of: path, atMost: Self.longest)
        } catch {
            if access(path, F_OK) < 0 && errno == ENOENT { return nil }
            throw error
        }
    }

    /// Replaces it, and waits for the disk.
    package func write(_ bytes: [UInt8]) -> CommandError? {
        let part = "\(path).part"
        let file = clinux_make_file_anew(part)
        if file < 0 { return Self.failure(part, "written", file) }
        defer { close(file) }
        var code = clinux_write_all(file, bytes, bytes.count)
        if code == 0 { code = clinux_fsync(file) }
        if code == 0 { code = clinux_rename(part, path) }
        if code == 0 { code = syncFolder() }
        return code < 0 ? Self.failure(path, "written", code) : nil
    }

    /// Without it the disk may have the file before, or none, under the name after a power cut.
    private func syncFolder() -> Int32 {
        let name = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let folder = clinux_open_folder(-1, name)
        if folder < 0 { return folder }
        defer { close(folder) }
        return clinux_fsync(folder)
    }

    /// The bytes of a file.
    ///
    /// - Throws: an error if it can't be read, or is longer than `limit` bytes.
    package static func bytes(of path: String, atMost limit: Int) throws(CommandError) -> [UInt8] {
        let file = clinux_open(path, O_RDONLY, 0)
        if file < 0 { throw failure(path, "read", file) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = clinux_read(file, &part, part.count)
            if count < 0 { throw failure(path, "read", Int32(count)) }
            if count == 0 { return bytes }
            bytes += part.prefix(count)
            if bytes.count > limit {
                throw CommandError(.tooLarge, "\(path) has more than \(limit) bytes.")
            }
        }
    }

    private static func failure(_ path: String, _ verb: String, _ code: Int32) -> CommandError {
        CommandError(.device, "\(path) can't be \(verb): \(String(cString: strerror(-code)))")
    }
}
