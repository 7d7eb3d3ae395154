internal import ArgumentParser
internal import CLinux
internal import Console
internal import Digests
internal import FoundationEssentials
internal import Glibc

/// The folder with what a console keeps: its tokens, and the key that signs its cookies.
struct StateFolder: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder for tokens; default: $STATE_DIRECTORY, for root /var/lib/v4l2mqtt-console, otherwise ~/.local/state/v4l2mqtt-console.",
            valueName: "folder"),
        completion: .directory)
    var stateDir: String?

    private static let keyBytes = 32

    /// Counts the runs that ended by a fault.
    var faultFile: String { folder + "/faults" }

    private var folder: String {
        if let stateDir { return stateDir }
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["STATE_DIRECTORY"] { return folder }
        if geteuid() == 0 { return "/var/lib/v4l2mqtt-console" }
        let home = environment["HOME"] ?? "/"
        return "\(environment["XDG_STATE_HOME"] ?? "\(home)/.local/state")/v4l2mqtt-console"
    }

    private var tokenFile: String { "\(folder)/tokens.json" }

    /// - Throws: ``StorageError`` for a file that can't be read, or that is no list of tokens.
    func tokens() throws -> TokenList {
        guard let bytes = try Self.contents(of: tokenFile) else { return TokenList() }
        do throws(AccessError) {
            return try TokenList(file: bytes)
        } catch {
            throw StorageError("\(tokenFile): \(error)")
        }
    }

    /// Changes the tokens. Programs that change them at the same time wait for each other, so that each
    /// change is kept. The file is replaced by a complete one: a console that reads it meanwhile gets the old
    /// or the new one.
    ///
    /// - Throws: ``StorageError``, and what `body` throws: then nothing is changed.
    func changeTokens<Result>(_ body: (inout TokenList) throws -> Result) throws -> Result {
        makeFolder()
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw Self.failure(of: folder, code: -errno) }
        defer { close(lock) }
        let code = clinux_lock(lock)
        guard code == 0 else { throw Self.failure(of: folder, code: code) }
        var tokens = try self.tokens()
        let result = try body(&tokens)
        try write(tokens.file, to: tokenFile)
        return result
    }

    /// When the file with the tokens, its owner or its rights were changed; nil: there is none.
    var tokensChanged: timespec? {
        var status = stat()
        return stat(tokenFile, &status) == 0 ? status.st_ctim : nil
    }

    /// The key that signs cookies, made at the first start.
    ///
    /// - Throws: ``StorageError`` for a file that can't be read, or that is no key: another key signs out all
    ///   devices.
    func key() throws -> [UInt8] {
        let path = "\(folder)/key"
        if let key = try Self.contents(of: path) {
            guard key.count == Self.keyBytes else {
                throw StorageError(
                    "\(path) has \(key.count) bytes, not \(Self.keyBytes); remove it to sign out all devices")
            }
            return key
        }
        let key = SecretBytes.random(count: Self.keyBytes)
        try write(key, to: path)
        return key
    }

    /// The bytes of a file; nil only if it does not exist. A file that exists and can't be read is an error:
    /// without its tokens, the console might admit all requests.
    private static func contents(of path: String) throws -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw StorageError("\(path): \(String(cString: strerror(errno)))")
        }
        close(file)
        guard let data = FileManager.default.contents(atPath: path) else {
            throw StorageError("\(path) can't be read")
        }
        return Array(data)
    }

    private func makeFolder() {
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        makeFolder()
        let new = "\(path).new"
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure(of: new, code: -errno) }
        var code = clinux_write_all(file, bytes, bytes.count)
        // Root makes tokens for the account of the service, which owns the folder.
        var owner = stat()
        if code == 0, geteuid() == 0, stat(folder, &owner) == 0, fchown(file, owner.st_uid, owner.st_gid) < 0
        {
            code = -errno
        }
        if code == 0, fsync(file) < 0 { code = -errno }
        close(file)
        if code == 0, rename(new, path) < 0 { code = -errno }
        guard code == 0 else {
            unlink(new)
            throw Self.failure(of: path, code: code)
        }
        // After a power cut the folder has the old or the new file; not all file systems sync a folder.
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }

    /// - Parameter code: of a function of C: the negative number of the error.
    private static func failure(of path: String, code: Int32) -> StorageError {
        StorageError("\(path): \(String(cString: strerror(-code)))")
    }
}

/// A file of the console that can't be used.
struct StorageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
