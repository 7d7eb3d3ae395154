internal import Base
internal import Glibc

/// The files of a state: for each document a ``SlotFile`` in the folder `<path>.slots`, and `<path>.lock`,
/// which is held as long as this object exists.
package final class StateFolder: Sendable {
    /// The key `state_file`.
    package let path: String
    private let lock: FileLock

    private var folder: String { path + ".slots" }

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

    private func setAside(_ path: String, as what: String) throws(StateStoreError) -> String {
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

    // MARK: The state of an earlier version

    private var previous: String { path + ".previous" }
    private var journal: String { path + ".journal" }

    /// The state of a version that had one file with a journal beside it. It is there until
    /// ``keepEarlierState()``, and wins over slots.
    ///
    /// - Parameter discardsJournal: what is whole is taken, though it may not be the newest.
    /// - Throws: ``StateStoreError/notStopped(path:)`` when the version was not stopped cleanly. Nothing is
    ///   changed then.
    package func earlierState(discardsJournal: Bool) throws(StateStoreError) -> EarlierState? {
        var found: [[UInt8]] = []
        for path in [path, previous] {
            if let bytes = try onDisk({ () throws(FileError) in try Files.state(path) }) {
                found.append(bytes)
            }
            // The one before is of interest only beside it, or if there is nothing else.
            if found.isEmpty, access(folder, F_OK) == 0 { return nil }
        }
        if found.isEmpty { return nil }
        let lines = try onDisk { () throws(FileError) in try Files.state(journal) }
        let hasLines = lines?.contains { $0 != 0 } ?? false
        var document: [UInt8]?
        for bytes in found {
            do throws(ChecksummedDocument.Refusal) {
                document = try Array(ChecksummedDocument.unwrap(bytes))
                break
            } catch {
                if case .newer(let version) = error {
                    throw .newerVersion(path: path, found: version, known: ChecksummedDocument.version)
                }
                if !discardsJournal { throw .notStopped(path: path) }
            }
        }
        if hasLines, !discardsJournal { throw .notStopped(path: path) }
        return EarlierState(document: document, hasAllChanges: lines != nil && !hasLines && document != nil)
    }

    /// Sets slots aside that are older than a state of an earlier version. Returns their new path; nil: there
    /// are none.
    package func setSlotsAside() throws(StateStoreError) -> String? {
        access(folder, F_OK) == 0 ? try setAside(folder, as: "replaced") : nil
    }

    /// Keeps the state of an earlier version as `<path>.before-slots`. Without its journal, that version
    /// begins above all revisions when it gets it back.
    package func keepEarlierState() throws(StateStoreError) {
        try onDisk { () throws(FileError) in
            let newest = access(path, F_OK) == 0 ? path : previous
            try Files.complete(newest, as: path + ".before-slots", replacing: true)
            for path in [previous, journal] { try Files.remove(path) }
        }
    }
}

/// What a version with a journal left.
package struct EarlierState: Sendable {
    /// JSON; nil: nothing is whole.
    package let document: [UInt8]?
    /// Whether no change of that version can be missing.
    package let hasAllChanges: Bool
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
