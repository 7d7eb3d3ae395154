internal import CLinux
internal import Glibc

/// Work with files in the calling thread, which may wait for the disk.
package enum Files {
    /// The modes of files and folders with pictures, recordings or state, before the umask: other users may
    /// not read them.
    package static let mode = UInt32(CLINUX_FILE_MODE)
    package static let folderMode = UInt32(CLINUX_FOLDER_MODE)

    // MARK: Replacing

    /// Replaces a file. When this returns, the disk has it; after a power cut before that it is the old one
    /// or the new one. When it throws, it is the old one or, if only the folder couldn't be synced, the new
    /// one.
    ///
    /// - Parameters:
    ///   - suffix: of the name that the new file has until it is whole.
    ///   - mode: less the umask.
    ///   - owner: nil: that of this process.
    ///   - isWritten: called when the disk has the bytes, before the file is replaced.
    package static func replace(
        _ path: String, with bytes: [UInt8], suffix: String = ".new", mode: UInt32 = mode,
        owner: (user: UInt32, group: UInt32)? = nil, isWritten: () throws(FileError) -> Void = {}
    ) throws(FileError) {
        do throws(FileError) {
            try write(bytes, to: path + suffix, mode: mode, owner: owner)
            try isWritten()
            try rename(path + suffix, to: path)
        } catch {
            _ = clinux_unlink(path + suffix)
            throw error
        }
        try sync(folderOf: path)
    }

    /// Makes a file, and waits until the disk has its bytes, but not its name. A file or a symbolic link with
    /// this name is replaced.
    package static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32 = mode, owner: (user: UInt32, group: UInt32)? = nil
    ) throws(FileError) {
        let descriptor = clinux_make_file_anew(path, mode)
        try check(descriptor, doing: "create", path)
        defer { close(descriptor) }
        try check(clinux_write_all(descriptor, bytes, bytes.count), doing: "write", path)
        if let owner { try check(clinux_chown(descriptor, owner.user, owner.group), doing: "write", path) }
        try check(clinux_fsync(descriptor), doing: "sync", path)
    }

    /// Writes to what is there and is no regular file, such as a pipe.
    package static func write(_ bytes: [UInt8], into path: String) throws(FileError) {
        try withFile(path, O_WRONLY) { descriptor throws(FileError) in
            try check(clinux_write_all(descriptor, bytes, bytes.count), doing: "write", path)
        }
    }

    /// Gives a file that the disk has another name, and waits until the disk has the name.
    ///
    /// - Parameter replacing: false: a file with the name stays, and the error has the code EEXIST.
    package static func complete(_ path: String, as name: String, replacing: Bool) throws(FileError) {
        try rename(path, to: name, replacing: replacing)
        try sync(folderOf: name)
    }

    /// The disk has the new name after ``sync(folderOf:)``.
    package static func rename(_ path: String, to name: String, replacing: Bool = true) throws(FileError) {
        let code = replacing ? clinux_rename(path, name) : clinux_rename_new(path, name)
        try check(code, doing: "rename", path)
    }

    /// Waits until the disk has the names in a file's folder.
    package static func sync(folderOf path: String) throws(FileError) {
        let folder = folder(of: path)
        try withFile(folder, O_RDONLY | O_DIRECTORY) { descriptor throws(FileError) in
            try check(clinux_fsync(descriptor), doing: "sync", folder)
        }
    }

    /// Removes a file, if it is there.
    package static func remove(_ path: String) throws(FileError) {
        try check(clinux_unlink(path), doing: "remove", path, except: ENOENT)
    }

    // MARK: Folders

    /// The folder that a path is in: `.` for a bare name, `/` for what is in the root.
    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The path with all links resolved; nil if there is no such file.
    package static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// Makes a folder, if it is missing.
    ///
    /// - Parameters:
    ///   - mode: less the umask.
    ///   - makesAbove: whether the folders above it are made, where they are missing.
    package static func makeFolder(
        _ path: String, mode: UInt32 = folderMode, makesAbove: Bool = true
    ) throws(FileError) {
        var code = clinux_make_folder(path, mode)
        let above = folder(of: path)
        if code == -ENOENT, makesAbove, above != path {
            try makeFolder(above, mode: mode)
            code = clinux_make_folder(path, mode)
        }
        try check(code, doing: "make the folder", path, except: EEXIST)
    }

    /// The names in a folder, in any order.
    package static func names(in folder: String) throws(FileError) -> [String] {
        var names: [String] = []
        try withFile(folder, O_RDONLY | O_DIRECTORY) { descriptor throws(FileError) in
            try eachName(in: descriptor, folder) { names.append($0) }
        }
        return names
    }

    /// Calls `body` with each name in an open folder, in any order.
    ///
    /// - Parameter path: the folder's, for the error.
    package static func eachName(
        in folder: Int32, _ path: String, _ body: (String) -> Void
    ) throws(FileError) {
        // The stream closes its descriptor.
        let descriptor = clinux_open_folder(folder, ".")
        try check(descriptor, doing: "open", path)
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            throw FileError(doing: "read", path: path, code: ENOMEM)
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { body(name) }
        }
    }

    // MARK: Open files

    /// Opens a file or a folder, close-on-exec, closes it after the body, and returns the body's result.
    package static func withFile<Result>(
        _ path: String, _ flags: Int32, _ body: (_ descriptor: Int32) throws(FileError) -> Result
    ) throws(FileError) -> Result {
        let descriptor = clinux_open(path, flags, 0)
        try check(descriptor, doing: "open", path)
        defer { close(descriptor) }
        return try body(descriptor)
    }

    /// Throws the error of a call.
    ///
    /// - Parameters:
    ///   - result: -errno for an error.
    ///   - harmless: the `errno` that is none.
    package static func check(
        _ result: Int32, doing: String, _ path: String, except harmless: Int32? = nil
    ) throws(FileError) {
        guard result < 0, -result != harmless else { return }
        throw FileError(doing: doing, path: path, code: -result)
    }
}
