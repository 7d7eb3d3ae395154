internal import CLinux
internal import Glibc

/// An exclusive lock of a file; it ends with this object or with the process, however that ends.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Locks a file that is there for its lock only, and is made if it is missing.
    ///
    /// It stays when the lock ends: to remove it would let two processes lock two different files of one
    /// name.
    ///
    /// - Throws: an error with `isLocked` if another process has the lock.
    package init(file path: String) throws(FileError) {
        descriptor = clinux_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, Files.mode)
        try Files.check(descriptor, doing: "create", path)
        try Files.check(clinux_try_lock(descriptor), doing: "lock", path)
    }

    /// Locks a folder, and waits while another process has the lock.
    package init(folder path: String) throws(FileError) {
        descriptor = clinux_open_folder(-1, path)
        try Files.check(descriptor, doing: "open", path)
        try Files.check(clinux_lock(descriptor), doing: "lock", path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
