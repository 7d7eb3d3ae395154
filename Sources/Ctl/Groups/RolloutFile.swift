internal import Base
package import Contract
internal import Glibc

/// The state file of a rollout. It is replaced as a whole, and is on the disk when that is done. One program
/// at a time uses it.
package final class RolloutFile {
    /// The longest state file that is read.
    private static let longest = 64 << 20

    private let path: String
    /// Of the file beside it; nil: it isn't open.
    private var lock: FileLock?

    package init(_ path: String) { self.path = path }

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
        do throws(FileError) {
            lock = try FileLock(file: "\(path).lock")
        } catch {
            if error.isLocked { throw CommandError(.busy, "\(path): another rollout is using it.") }
            throw Self.failure(error.path, "written", error)
        }
    }

    /// - Returns: its bytes; nil: there is no such file.
    package func read() throws(CommandError) -> [UInt8]? {
        if access(path, F_OK) < 0 && errno == ENOENT { return nil }
        return try Self.bytes(of: path, atMost: Self.longest)
    }

    /// Replaces it, and waits for the disk.
    package func write(_ bytes: [UInt8]) -> CommandError? {
        do throws(FileError) {
            try Files.replace(path, with: bytes, suffix: ".part")
            return nil
        } catch {
            return Self.failure(error.doing == "create" ? error.path : path, "written", error)
        }
    }

    /// The bytes of a file.
    ///
    /// - Throws: an error if it can't be read, or is longer than `limit` bytes.
    package static func bytes(of path: String, atMost limit: Int) throws(CommandError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.read(path, atMost: limit + 1)
        } catch {
            throw failure(path, "read", error)
        }
        if bytes.count > limit {
            throw CommandError(.tooLarge, "\(path) has more than \(limit) bytes.")
        }
        return bytes
    }

    private static func failure(_ path: String, _ verb: String, _ error: FileError) -> CommandError {
        CommandError(.device, "\(path) can't be \(verb): \(error.reason)")
    }
}
