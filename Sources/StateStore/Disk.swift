internal import CLinux
internal import Glibc

/// File work in the calling thread, with errors that name the operation and the path.
enum Disk {
    /// All of a file; nil when there is none. A symbolic link is not followed.
    static func read(_ path: String) throws(StateStoreError) -> [UInt8]? {
        let descriptor = clinux_open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0)
        if descriptor == -ENOENT { return nil }
        guard descriptor >= 0 else { throw .file(doing: "open", path: path, code: -descriptor) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let got = clinux_read(descriptor, &chunk, chunk.count)
            guard got >= 0 else { throw .file(doing: "read", path: path, code: Int32(-got)) }
            guard got > 0 else { return bytes }
            bytes += chunk.prefix(got)
        }
    }

    /// Opens a file that exists, closes it after the body, and returns the body's result. A symbolic link is
    /// not followed.
    static func withFile<Result>(
        _ path: String, _ flags: Int32, _ body: (_ descriptor: Int32) throws(StateStoreError) -> Result
    ) throws(StateStoreError) -> Result {
        let descriptor = clinux_open(path, flags | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw .file(doing: "open", path: path, code: -descriptor) }
        defer { close(descriptor) }
        return try body(descriptor)
    }

    /// Makes a file of these bytes, with mode 0640 (less the umask), and waits until the disk has them. A
    /// file or a symbolic link with this name is replaced.
    static func write(_ bytes: [UInt8], to path: String) throws(StateStoreError) {
        let descriptor = clinux_make_file_anew(path)
        guard descriptor >= 0 else { throw .file(doing: "create", path: path, code: -descriptor) }
        defer { close(descriptor) }
        try check(clinux_write_all(descriptor, bytes, bytes.count), doing: "write", path)
        try check(clinux_fsync(descriptor), doing: "sync", path)
    }

    /// Waits until the disk has what was renamed in a folder.
    static func sync(folder: String) throws(StateStoreError) {
        let descriptor = clinux_open(folder, O_RDONLY | O_DIRECTORY, 0)
        guard descriptor >= 0 else { throw .file(doing: "open", path: folder, code: -descriptor) }
        defer { close(descriptor) }
        try check(clinux_fsync(descriptor), doing: "sync", folder)
    }

    /// Makes a folder, and those above it, with mode 0750 (less the umask) where they are missing.
    static func makeFolder(_ path: String) throws(StateStoreError) {
        let result = clinux_make_folder(path)
        if result == -ENOENT, path != folder(of: path) {
            try makeFolder(folder(of: path))
            try check(clinux_make_folder(path), doing: "make the folder", path, except: EEXIST)
        } else {
            try check(result, doing: "make the folder", path, except: EEXIST)
        }
    }

    static func rename(_ from: String, to: String) throws(StateStoreError) {
        try check(clinux_rename(from, to), doing: "rename", from)
    }

    /// Removes a file, if it is there.
    static func remove(_ path: String) throws(StateStoreError) {
        try check(clinux_unlink(path), doing: "remove", path, except: ENOENT)
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The folder that a path is in: `.` for a bare name, `/` for what is in the root.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func check(
        _ result: Int32, doing: String, _ path: String, except harmless: Int32? = nil
    ) throws(StateStoreError) {
        guard result < 0, -result != harmless else { return }
        throw .file(doing: doing, path: path, code: -result)
    }
}
