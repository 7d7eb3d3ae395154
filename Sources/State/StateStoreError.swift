package import Base

/// Why the state can't be loaded or saved.
package enum StateStoreError: Error, Equatable, CustomStringConvertible {
    /// The file was written by a newer program. It is never overwritten.
    case newerVersion(path: String, found: Int, known: Int)
    /// A version with a journal was not stopped cleanly: it alone can read the newest changes.
    case notStopped(path: String)
    /// Another process holds the lock beside this state file.
    case locked(path: String)
    /// A system call failed.
    case file(FileError)
    /// The document can't be written as JSON, e.g. because of a number that isn't finite: a defect of the
    /// caller.
    case encoding(path: String, reason: String)
    /// The disk took longer than the caller would wait.
    case late(path: String)

    package var description: String {
        switch self {
        case .newerVersion(let path, let found, let known):
            """
            \(path) has version \(found), and this program knows versions up to \(known): start the newer \
            program that wrote it, or move the file away to start with an empty state
            """
        case .notStopped(let path):
            """
            \(path) is of an earlier version, which was not stopped cleanly: start and stop the previous version \
            once, or run this one with --discard-journal, which loses the newest changes
            """
        case .locked(let path):
            "\(path) is in use by another agent: give each agent a state_file of its own"
        case .file(let error):
            error.description
        case .encoding(let path, let reason):
            "can't express the state for \(path) as JSON: \(reason)"
        case .late(let path):
            "\(path) isn't written yet: the disk is slow"
        }
    }
}

/// Work with files, with its error as one of the store.
func onDisk<Result>(_ work: () throws(FileError) -> Result) throws(StateStoreError) -> Result {
    do throws(FileError) { return try work() } catch { throw .file(error) }
}

extension Files {
    /// All of a file of the state; nil when there is none.
    static func state(_ path: String) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try read(path, isOwn: true)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }
}
