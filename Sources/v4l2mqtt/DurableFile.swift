internal import CLinux
internal import Glibc

/// Small files beside the state of an agent.
enum DurableFile {
    /// Why a file can't be written, in the words of the system.
    struct Failure: Error, CustomStringConvertible {
        let code: Int32
        var description: String { String(cString: strerror(code)) }
    }

    /// Replaces a file, and makes its folder if it is missing. When this returns, the disk has it; after a
    /// power cut before that it is the old one or the new one.
    static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
        let new = path + ".new"
        func make() -> Int32 { open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        var descriptor = make()
        if descriptor < 0, errno == ENOENT, let folder = folder(of: path) {
            let code = makeFolder(folder)
            guard code == 0 else { throw Failure(code: -code) }
            descriptor = make()
        }
        var code = descriptor < 0 ? -errno : clinux_write_all(descriptor, bytes, bytes.count)
        if code == 0, fsync(descriptor) < 0 { code = -errno }
        if descriptor >= 0 { close(descriptor) }
        if code == 0, rename(new, path) < 0 { code = -errno }
        if code == 0 { code = syncFolder(of: path) }
        guard code == 0 else {
            unlink(new)
            throw Failure(code: -code)
        }
    }

    /// Nil: the working directory, or the root.
    private static func folder(of path: String) -> String? {
        path.lastIndex(of: "/").flatMap { $0 == path.startIndex ? nil : String(path[..<$0]) }
    }

    /// Makes a folder, and those above it, where they are missing.
    ///
    /// - Returns: 0, or the negative code of an error.
    private static func makeFolder(_ path: String) -> Int32 {
        let code = clinux_make_folder(path)
        if code == -ENOENT, let above = folder(of: path) {
            let made = makeFolder(above)
            return made == 0 ? makeFolder(path) : made
        }
        return code == -EEXIST ? 0 : code
    }

    private static func syncFolder(of path: String) -> Int32 {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return -errno }
        defer { close(descriptor) }
        return fsync(descriptor) < 0 ? -errno : 0
    }
}
