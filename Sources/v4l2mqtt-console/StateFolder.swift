internal import ArgumentParser
internal import Base
internal import Contract
internal import FoundationEssentials
internal import Glibc
internal import Server

/// The folder with what a console keeps: its tokens, and the agents that are hidden.
struct StateFolder: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The folder for tokens; default: $STATE_DIRECTORY, for root /var/lib/v4l2mqtt-console, otherwise ~/.local/state/v4l2mqtt-console.",
            valueName: "folder"),
        completion: .directory)
    var stateDir: String?

    /// Counts the runs that ended by a fault.
    var faultFile: String { folder + "/faults" }

    private var folder: String {
        stateDir ?? Files.stateFolder(of: "v4l2mqtt-console", ProcessInfo.processInfo.environment)
    }

    private var tokenFile: String { "\(folder)/tokens.json" }
    private var hiddenFile: String { "\(folder)/hidden.json" }

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
        let lock = try lock()
        var tokens = try self.tokens()
        let result = try body(&tokens)
        try write(tokens.file, to: tokenFile)
        withExtendedLifetime(lock) {}
        return result
    }

    /// The tokens, if their file is not of this version, which becomes the present one. A file that can't be
    /// used changes nothing.
    func tokens(insteadOf version: inout TokenVersion?) -> TokenList? {
        var status = stat()
        let now =
            stat(tokenFile, &status) == 0
            ? TokenVersion(
                inode: status.st_ino, seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec)
            : TokenVersion()
        guard now != version else { return nil }
        version = now
        do {
            return try tokens()
        } catch {
            printError("warning: the tokens stay as they are: \(error)")
            return nil
        }
    }

    /// The agents that people have hidden on their pages.
    ///
    /// - Throws: ``StorageError`` for a file that can't be read, or that is no list of names.
    func hidden() throws -> Set<String> {
        guard let bytes = try Self.contents(of: hiddenFile) else { return [] }
        guard let names = JSON(bytes)?.list?.compactMap(\.text) else {
            throw StorageError("\(hiddenFile): it is no JSON list of agents")
        }
        return Set(names)
    }

    /// Stores them. What can't be stored is said.
    func store(hidden: Set<String>) {
        do {
            try write(JSON.bytes(JSON.list(hidden.sorted().map(JSON.text))), to: hiddenFile)
        } catch {
            printError("warning: the hidden agents are not stored: \(error)")
        }
    }

    /// The bytes of a file; nil only if it does not exist. A file that exists and can't be read is an error:
    /// without its tokens, the console might admit all requests.
    private static func contents(of path: String) throws -> [UInt8]? {
        do throws(FileError) {
            return try Files.read(path, atMost: 1 << 24)
        } catch {
            if error.isMissing { return nil }
            throw StorageError("\(path): \(error.reason)")
        }
    }

    private func makeFolder() { try? Files.makeFolder(folder, mode: 0o700) }

    private func lock() throws -> FileLock {
        makeFolder()
        do throws(FileError) {
            return try FileLock(folder: folder)
        } catch {
            throw StorageError("\(folder): \(error.reason)")
        }
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        makeFolder()
        // Root makes tokens for the account of the service, which owns the folder.
        var status = stat()
        let isForService = geteuid() == 0 && stat(folder, &status) == 0
        do throws(FileError) {
            try Files.replace(
                path, with: bytes, mode: 0o600, owner: isForService ? (status.st_uid, status.st_gid) : nil)
        } catch {
            throw StorageError("\(error.doing == "create" ? error.path : path): \(error.reason)")
        }
    }
}

/// A file of the console that can't be used.
struct StorageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
