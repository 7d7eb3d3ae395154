internal import Glibc

/// Work with a file that the system refused.
package struct FileError: Error, Equatable, CustomStringConvertible {
    /// What was to be done, for "can't … PATH".
    package let doing: String
    package let path: String
    /// `errno`.
    package let code: Int32

    package init(doing: String, path: String, code: Int32) {
        (self.doing, self.path, self.code) = (doing, path, code)
    }

    /// The system's words.
    package var reason: String { String(cString: strerror(code)) }

    package var description: String {
        let reason = code == ELOOP ? "it is a symbolic link, which is not followed" : reason
        return "can't \(doing) \(path): \(reason)"
    }

    package var isMissing: Bool { code == ENOENT }
    /// Whether the disk, the quota, or the greatest size of a file is used up.
    package var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }
    /// Whether another process has the lock.
    package var isLocked: Bool { code == EWOULDBLOCK }
}
