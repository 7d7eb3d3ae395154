import Base
import Glibc
import TestSupport
import Testing

/// Files are replaced durably, and each failure is an error with the path and the number of the system.
struct FilesTests {
    let folder = TemporaryFolder()
    var path: String { folder.file("file") }

    private func error(_ body: () throws(FileError) -> Void) -> FileError? {
        do throws(FileError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func aFileIsReplacedAsAWhole() throws {
        for bytes in [[1, 2, 3], [4]] as [[UInt8]] {
            try Files.replace(path, with: bytes)
            #expect(try Files.read(path) == bytes && folder.names == ["file"])
        }
        #expect(folder.permissions(of: "file") == lessUmask(0o640))
        try Files.replace(path, with: [5], mode: 0o600)
        #expect(folder.permissions(of: "file") == 0o600)
    }

    @Test func aLinkUnderTheTemporaryNameIsReplaced() throws {
        let foreign = folder.write("foreign", to: "foreign")
        folder.link("file.new", to: foreign)
        try Files.replace(path, with: [1])
        #expect(folder.names == ["file", "foreign"])
        #expect(try Files.read(foreign) == Array("foreign".utf8))
    }

    @Test func aFailureBeforeTheNewNameLeavesTheOldFile() throws {
        try Files.replace(path, with: [1])
        let failure = FileError(doing: "link", path: path, code: EIO)
        let error = error { () throws(FileError) in
            try Files.replace(path, with: [2]) { () throws(FileError) in throw failure }
        }
        #expect(error == failure && folder.names == ["file"])
        #expect(try Files.read(path) == [1])
    }

    @Test func theFolderOfTheStateIsThatOfTheServiceOrOfTheUser() throws {
        func place(_ environment: [String: String], user: UInt32) -> String {
            Files.stateFolder(of: "cam", environment, user: user, services: folder.path)
        }
        let home = ["HOME": "/home/ann"]
        #expect(place(home, user: 1000) == "/home/ann/.local/state/cam")
        #expect(place(home.merging(["XDG_STATE_HOME": "/x"]) { $1 }, user: 1000) == "/x/cam")
        #expect(
            place(home.merging(["XDG_STATE_HOME": "x"]) { $1 }, user: 1000) == "/home/ann/.local/state/cam")
        #expect(place(home, user: 0) == folder.file("cam"))
        #expect(place(["STATE_DIRECTORY": "/srv/a:/srv/b"], user: 1000) == "/srv/a")
        try Files.makeFolder(folder.file("cam"))
        #expect(place(home, user: 65_533) == "/home/ann/.local/state/cam")
        #expect(place(home, user: geteuid()) == folder.file("cam"))
    }

    @Test func aFolderThatCannotBeMadeOrWrittenToIsAProblem() {
        #expect(Files.problem(ofFolder: folder.file("a/b/c")) == nil)
        #expect(Files.problem(ofFolder: folder.path) == nil)
        folder.write("", to: "file")
        #expect(
            Files.problem(ofFolder: path)?.description == "can't use the folder \(path): Not a directory")
        let problems = folder.withUnreadable("closed") {
            ["closed", "closed/a"].map { Files.problem(ofFolder: folder.file($0)) }
        }
        #expect(
            problems.map { $0?.doing } == ["use the folder", "make the folder"]
                && problems.allSatisfy { $0?.code == EACCES })
        #expect(folder.names == ["closed", "file"])
    }

    @Test func aFolderThatCannotBeSyncedIsAnError() throws {
        let inside = folder.file("closed/file")
        let errors = folder.withUnreadable("closed") {
            [
                error { () throws(FileError) in try Files.replace(inside, with: [1]) },
                error { () throws(FileError) in
                    try Files.complete(inside, as: inside + "2", replacing: true)
                },
            ]
        }
        let expected = FileError(doing: "open", path: folder.file("closed"), code: EACCES)
        #expect(errors == [expected, expected])
        #expect(expected.description == "can't open \(folder.file("closed")): Permission denied")
    }

    @Test func anExistingFileIsKeptIfItMayNotBeReplaced() throws {
        folder.write("old", to: "old")
        folder.write("new", to: "new")
        let error = error { () throws(FileError) in
            try Files.complete(folder.file("new"), as: folder.file("old"), replacing: false)
        }
        #expect(error == FileError(doing: "rename", path: folder.file("new"), code: EEXIST))
        try Files.complete(folder.file("new"), as: folder.file("old"), replacing: true)
        #expect(try Files.read(folder.file("old")) == Array("new".utf8) && folder.names == ["old"])
    }

    @Test func readingIsBounded() throws {
        folder.write("12345", to: "file")
        #expect(try Files.read(path, atMost: 3) == Array("123".utf8))
        #expect(try Files.read(path, atMost: 6) == Array("12345".utf8))
        #expect(error { () throws(FileError) in _ = try Files.read(path + "2") }?.isMissing == true)
    }

    @Test func anOwnFileIsNeitherALinkNorAwaited() throws {
        folder.link("file", to: folder.write("foreign", to: "foreign"))
        #expect(try Files.read(path) == Array("foreign".utf8))
        let error = error { () throws(FileError) in _ = try Files.read(path, isOwn: true) }
        #expect(error?.description == "can't open \(path): it is a symbolic link, which is not followed")
        mkfifo(folder.file("pipe"), 0o600)
        #expect(try Files.read(folder.file("pipe"), isOwn: true) == [])
    }

    @Test func partsOfAFileComeInOrder() throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 >> 7) }
        try Files.replace(path, with: bytes)
        var parts: [UInt8] = []
        let count = try Files.withFile(path, O_RDONLY) { descriptor throws(FileError) in
            try Files.eachPart(of: descriptor, path, atMost: 2_500_000) { parts += $0 }
        }
        #expect(count == 2_500_000 && parts.elementsEqual(bytes.prefix(count)))
    }

    @Test func foldersAreMadeWhereTheyAreMissing() throws {
        try Files.makeFolder(folder.file("a/b"))
        try Files.makeFolder(folder.file("a/b"))
        #expect(folder.permissions(of: "a/b") == lessUmask(0o750))
        let error = error { () throws(FileError) in
            try Files.makeFolder(folder.file("c/d"), makesAbove: false)
        }
        #expect(error == FileError(doing: "make the folder", path: folder.file("c/d"), code: ENOENT))
        #expect(try Files.names(in: folder.path) == ["a"])
    }

    @Test func aLockIsHeldUntilItsEnd() throws {
        var lock: FileLock? = try FileLock(file: path)
        #expect(error { () throws(FileError) in _ = try FileLock(file: path) }?.isLocked == true)
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(lock == nil && folder.names == ["file"])
    }
}
