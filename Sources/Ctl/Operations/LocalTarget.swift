internal import Base
internal import CLinux
internal import Contract
internal import Glibc

/// Where photos and copies go on this machine. It is checked before anything is sent.
extension CtlOperation {
    /// - Returns: the operation; with a folder as the target if there is one at the path of a photo.
    /// - Throws: an error if the target can't be written, or is a file in the place of a folder.
    func withCheckedTarget() throws(CommandError) -> CtlOperation {
        switch self {
        case .capture(_, .folder(let folder, _)), .copyMedia(_, .folder(let folder, _), _):
            try Self.makeFolder(folder)
            try Self.checkFolder(folder, writing: folder)
        case .capture(let fields, .file(let path)):
            if Self.isFolder(path) { return try .capture(fields, to: .folder(path)).withCheckedTarget() }
            try Self.checkFile(path)
        case .copyMedia(_, .file(let path), _): try Self.checkFolder(Files.folder(of: path), writing: path)
        default: break
        }
        return self
    }

    /// Makes the folder for copies, if it is missing.
    private static func makeFolder(_ path: String) throws(CommandError) {
        do throws(FileError) {
            try Files.makeFolder(path, mode: 0o777, makesAbove: false)
        } catch {
            throw CommandError(.device, "The folder \(path) can't be made: \(error.reason)")
        }
        guard isFolder(path) else { throw CommandError(.device, "\(path) is a file, and no folder.") }
    }

    /// A photo replaces a regular file, for which its folder has to take a new one. Other files, such as
    /// pipes, are written in place.
    private static func checkFile(_ path: String) throws(CommandError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else {
            return try checkFolder(Files.folder(of: Files.realPath(path) ?? path), writing: path)
        }
        guard access(path, W_OK) == 0 else { throw notWritten(path) }
    }

    private static func checkFolder(_ folder: String, writing path: String) throws(CommandError) {
        guard access(folder, W_OK | X_OK) == 0 else { throw notWritten(path) }
    }

    private static func notWritten(_ path: String) -> CommandError {
        CommandError(.device, "\(path) can't be written: \(String(cString: strerror(errno)))")
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
