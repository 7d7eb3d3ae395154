internal import Glibc

/// Why the state can't be loaded or saved.
package enum StateStoreError: Error, Equatable, CustomStringConvertible {
    /// The file was written by a newer program. It is never overwritten.
    case newerVersion(path: String, found: Int, known: Int)
    /// Another process holds the lock beside this state file.
    case locked(path: String)
    /// A system call failed; `code` is its `errno`.
    case file(doing: String, path: String, code: Int32)
    /// The document can't be written as JSON, e.g. because of a number that isn't finite: a defect of the
    /// caller.
    case encoding(path: String, reason: String)
    /// The disk took longer than the caller would wait. The writer tries again.
    case late(path: String)
    /// No thread could be had for the writer.
    case noThread(reason: String)

    package var description: String {
        switch self {
        case .newerVersion(let path, let found, let known):
            """
            \(path) has version \(found), and this program knows versions up to \(known): start the newer \
            program that wrote it, or move the file away to start with an empty state
            """
        case .locked(let path):
            "\(path) is in use by another agent: give each agent a state_file of its own"
        case .file(let doing, let path, ELOOP):
            "can't \(doing) \(path): it is a symbolic link, which is not followed"
        case .file(let doing, let path, let code):
            "can't \(doing) \(path): \(String(cString: strerror(code)))"
        case .encoding(let path, let reason):
            "can't express the state for \(path) as JSON: \(reason)"
        case .late(let path):
            "\(path) isn't written yet: the disk is slow"
        case .noThread(let reason):
            "no thread for writing the state: \(reason)"
        }
    }
}
