internal import Base
internal import CLinux
internal import Contract
internal import Glibc

/// The local file of a copy. Until it is complete it has the name with `.part` at its end, and stays there if
/// the program is ended: the next run goes on.
package final class LocalCopy {
    private var path = ""
    private var replaces = false
    /// The open part; -1: none.
    private var descriptor: Int32 = -1

    private var part: String { path + ".part" }

    package init() {}

    deinit { if descriptor >= 0 { close(descriptor) } }

    package func perform(_ step: CopyStep) -> CopyResult {
        switch step {
        case .open(let path, let replaces, let bytes): return open(path, replaces, bytes)
        case .restart:
            if ftruncate(descriptor, 0) < 0 { return failure(-errno) }
            return lseek(descriptor, 0, SEEK_SET) < 0 ? failure(-errno) : .opened(bytes: 0)
        case .append(let bytes):
            let code = clinux_write_all(descriptor, bytes, bytes.count)
            return code < 0 ? failure(code) : .appended
        case .finish(let sha256): return finish(sha256)
        }
    }

    private func open(_ path: String, _ replaces: Bool, _ bytes: Int) -> CopyResult {
        // The copy before this one.
        if descriptor >= 0 { close(descriptor) }
        (self.path, self.replaces, descriptor) = (path, replaces, -1)
        var status = stat()
        if !replaces && lstat(path, &status) == 0 { return .failed(exists) }
        descriptor = clinux_open(part, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, Files.mode)
        if descriptor < 0 { return failure(descriptor) }
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .failed(CommandError(.device, "\(part) is no regular file."))
        }
        if clinux_try_lock(descriptor) < 0 {
            return .failed(CommandError(.busy, "\(part): another program is writing it."))
        }
        let end = lseek(descriptor, 0, SEEK_END)
        if end < 0 { return failure(-errno) }
        // A part that is longer is of another version, and emptied.
        let needed = bytes - min(bytes, Int(end))
        var disk = statvfs()
        if fstatvfs(descriptor, &disk) == 0, UInt(needed) / disk.f_frsize > disk.f_bavail {
            return .failed(
                CommandError(.storageFull, "\(part): there is no room for \(needed) bytes more."))
        }
        return .opened(bytes: Int(end))
    }

    private func finish(_ sha256: String) -> CopyResult {
        var digest = SHA256()
        do throws(FileError) {
            _ = try Files.eachPart(of: descriptor, part) { digest.update($0) }
            guard Hexadecimal.text(of: digest.finish()) == sha256 else { return .differs }
            try Files.check(clinux_fsync(descriptor), doing: "sync", part)
            try Files.complete(part, as: path, replacing: replaces)
            return .complete
        } catch {
            return error.code == EEXIST ? .failed(exists) : failure(-error.code)
        }
    }

    private var exists: CommandError {
        CommandError(.conflict, "\(path) exists already; --force replaces it.")
    }

    private func failure(_ code: Int32) -> CopyResult {
        .failed(CommandError(writing: part, FileError(doing: "write", path: part, code: -code)))
    }
}

extension CommandError {
    /// Why a local file can't be written.
    init(writing path: String, _ error: FileError) {
        self.init(error.isFull ? .storageFull : .device, "\(path) can't be written: \(error.reason)")
    }
}
