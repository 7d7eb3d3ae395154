internal import Base
internal import CLinux
internal import Contract
internal import Glibc

/// One document in one file that is never half written.
///
/// Beside `<path>` are `<path>.previous` (the generation before), `<path>.lock` (see ``FileLock``),
/// `<path>.new` during a write, and damaged files as `<path>.damaged-<UTC time>`. All work is done in the
/// calling thread, and by one thread at a time.
final class StateFile<Document: Codable & Sendable>: Sendable {
    let path: String
    private let lock: FileLock

    private var previous: String { path + ".previous" }
    private var new: String { path + ".new" }

    private init(path: String) throws(StateStoreError) {
        self.path = path
        do throws(FileError) {
            try Files.makeFolder(Files.folder(of: path))
            lock = try FileLock(file: path + ".lock")
        } catch {
            throw error.isLocked ? .locked(path: path) : .file(error)
        }
    }

    /// Takes the lock, and loads the newest whole generation.
    ///
    /// Opening includes loading, so that a state that was not read is never overwritten. Missing folders are
    /// made, with mode 0750. A damaged file is set aside, and the generation before takes its place.
    ///
    /// - Throws: ``StateStoreError/locked(path:)``, ``StateStoreError/newerVersion(path:found:known:)``, or
    ///   ``StateStoreError/file(doing:path:code:)`` when the disk refuses. Nothing was overwritten then.
    static func open(
        _ path: String
    ) throws(StateStoreError) -> (file: StateFile, found: LoadedState<Document>) {
        let file = try StateFile(path: path)
        return (file, try file.load())
    }

    /// Replaces the file; the generation that was there becomes the previous one.
    ///
    /// When this returns, the disk has it. When it throws, the file is as it was, or (when the last sync of
    /// the folder failed) already the new one. At every instant `<path>` or `<path>.previous` is whole.
    func write(_ document: Document) throws(StateStoreError) {
        let bytes = ChecksummedDocument.wrap(try encode(document))
        try onDisk { () throws(FileError) in
            // It may have been removed while the agent runs; then its memory is the only copy.
            try Files.makeFolder(Files.folder(of: path))
            try Files.replace(path, with: bytes) { () throws(FileError) in try keepPrevious() }
        }
    }

    /// Gives the current file a second name. Where the file system has no links, the file moves there, and
    /// `<path>` is missing until the next rename.
    private func keepPrevious() throws(FileError) {
        var result = clinux_link(path, previous)
        if result == -EEXIST {
            try Files.remove(previous)
            result = clinux_link(path, previous)
        }
        switch -result {
        case 0, ENOENT: return
        case EPERM, EOPNOTSUPP, ENOSYS, EMLINK: try Files.rename(path, to: previous)
        default: try Files.check(result, doing: "link", path)
        }
    }

    private func encode(_ document: Document) throws(StateStoreError) -> [UInt8] {
        do {
            return JSON.canonicalBytes(try JSON(encoding: document))
        } catch {
            throw .encoding(path: path, reason: "\(error)")
        }
    }

    private func load() throws(StateStoreError) -> LoadedState<Document> {
        try onDisk { () throws(FileError) in try Files.remove(new) }
        var damaged: [DamagedFile] = []
        for candidate in [path, previous] {
            guard let bytes = try onDisk({ () throws(FileError) in try Files.state(candidate) }) else {
                continue
            }
            do throws(ChecksummedDocument.Refusal) {
                return LoadedState(document: try decode(bytes), damaged: damaged)
            } catch {
                switch error {
                case .newer(let version):
                    throw .newerVersion(path: candidate, found: version, known: ChecksummedDocument.version)
                case .damaged(let reason):
                    let aside = try setAside(candidate)
                    damaged.append(DamagedFile(path: candidate, setAsideAs: aside, reason: reason))
                }
            }
        }
        return LoadedState(document: nil, damaged: damaged)
    }

    private func decode(_ bytes: [UInt8]) throws(ChecksummedDocument.Refusal) -> Document {
        let document = try ChecksummedDocument.unwrap(bytes)
        do {
            return try JSON(reading: Array(document)).decoded()
        } catch {
            throw .damaged("its state isn't what this program expects: \(error)")
        }
    }

    /// Renames a damaged file. Returns its new name.
    func setAside(_ file: String) throws(StateStoreError) -> String {
        let name = "\(file).damaged-\(utcNow())"
        var free = name
        var count = 1
        while access(free, F_OK) == 0 {
            count += 1
            free = "\(name)-\(count)"
        }
        try onDisk { () throws(FileError) in try Files.rename(file, to: free) }
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
