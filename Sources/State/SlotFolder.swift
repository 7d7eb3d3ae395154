internal import Base
internal import Glibc

/// The files of a state: for each document a ``SlotFile`` in the folder `<path>.slots`, and `<path>.lock`,
/// which is held as long as this object exists.
package final class SlotFolder: Sendable {
    /// The key `state_file`.
    package let path: String
    private let lock: FileLock

    var folder: String { path + ".slots" }

    /// Takes the lock. Missing folders above the files are made, with mode 0750.
    ///
    /// - Throws: ``StateStoreError/locked(path:)``, or ``StateStoreError/file(_:)`` when the disk refuses.
    package init(_ path: String) throws(StateStoreError) {
        self.path = path
        do throws(FileError) {
            try Files.makeFolder(Files.folder(of: path))
            lock = try FileLock(file: path + ".lock")
        } catch {
            throw error.isLocked ? .locked(path: path) : .file(error)
        }
    }

    func file(_ name: String) -> SlotFile { SlotFile(path: path(name)) }

    /// Where a file is.
    package func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// What a file contains; nil: there is none.
    package func read(_ name: String) throws(StateStoreError) -> SlotFile.Contents? {
        try onDisk { () throws(FileError) in try file(name).read() }
    }

    /// Removes a file, if it is there.
    package func remove(_ name: String) throws(StateStoreError) {
        try onDisk { () throws(FileError) in try Files.remove(file(name).path) }
    }

    /// Renames a damaged file. Returns its new path.
    package func setAside(_ name: String) throws(StateStoreError) -> String {
        try setAside(path(name), as: "damaged")
    }

    func setAside(_ path: String, as what: String) throws(StateStoreError) -> String {
        let name = "\(path).\(what)-\(utcNow())"
        var free = name
        var count = 1
        while access(free, F_OK) == 0 {
            count += 1
            free = "\(name)-\(count)"
        }
        try onDisk { () throws(FileError) in try Files.rename(path, to: free) }
        return free
    }
}

/// The time as `20261121T090538Z`, which every file system takes.
private func utcNow() -> String {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let date = "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
    return "\(date)T\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
}
