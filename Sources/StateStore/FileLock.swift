internal import CLinux
internal import Glibc

/// An exclusive lock on a file of its own; it ends with this object or with the process, however that ends.
///
/// The file stays when the lock ends: to remove it would let two processes lock two different files of one
/// name.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// - Parameter owner: the file that is guarded, for the error.
    init(path: String, for owner: String) throws(StateStoreError) {
        let opened = clinux_open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode_t(CLINUX_FILE_MODE))
        guard opened >= 0 else { throw .file(doing: "create", path: path, code: -opened) }
        let result = clinux_try_lock(opened)
        guard result == 0 else {
            close(opened)
            throw result == -EWOULDBLOCK
                ? .locked(path: owner) : .file(doing: "lock", path: path, code: -result)
        }
        descriptor = opened
    }

    deinit { close(descriptor) }
}
