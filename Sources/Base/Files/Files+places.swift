internal import Glibc

extension Files {
    /// The folder where the process was started.
    private static let workingFolder = realPath(".") ?? "/"

    /// The path from the root; a relative one begins at the folder where the process was started.
    package static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        let below = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
        return workingFolder == "/" ? "/\(below)" : "\(workingFolder)/\(below)"
    }

    /// The folder where a program keeps its state, unless its user says otherwise: that of its service
    /// manager (`$STATE_DIRECTORY`); for root, and for the user to whom it belongs, `/var/lib/PROGRAM`; for
    /// other users `$XDG_STATE_HOME/PROGRAM`, by default `~/.local/state/PROGRAM`.
    ///
    /// - Parameters:
    ///   - user: the effective user of the process.
    ///   - services: the folder of all services' folders.
    package static func stateFolder(
        of program: String, _ environment: [String: String], user: UInt32 = geteuid(),
        services: String = "/var/lib"
    ) -> String {
        if let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(folder) }
        let folder = "\(services)/\(program)"
        var status = stat()
        if user == 0 || stat(folder, &status) == 0 && status.st_uid == user { return folder }
        // Relative paths are ignored (XDG Base Directory Specification).
        let states = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return "\(states ?? "\(environment["HOME"] ?? "")/.local/state")/\(program)"
    }

    /// Why a folder can't be made, or files can't be made in it; nil: they can, as far as the rights tell.
    /// Nothing is made.
    package static func problem(ofFolder path: String) -> FileError? {
        var place = path
        var status = stat()
        while stat(place, &status) != 0 {
            guard errno == ENOENT, folder(of: place) != place else {
                return FileError(doing: "use the folder", path: path, code: errno)
            }
            place = folder(of: place)
        }
        let code = status.st_mode & S_IFMT != S_IFDIR ? ENOTDIR : Files.accessError(place, R_OK | W_OK | X_OK)
        if code == 0 { return nil }
        return FileError(doing: place == path ? "use the folder" : "make the folder", path: path, code: code)
    }

    /// Why the process can't read and write a file; nil: it can, or there is no such file.
    package static func problem(ofFile path: String) -> FileError? {
        let code = accessError(path, R_OK | W_OK)
        return [0, ENOENT].contains(code) ? nil : FileError(doing: "read and write", path: path, code: code)
    }

    /// The error with which the process may not access a file; 0: it may.
    private static func accessError(_ path: String, _ rights: Int32) -> Int32 {
        faccessat(AT_FDCWD, path, rights, AT_EACCESS) == 0 ? 0 : errno
    }
}
