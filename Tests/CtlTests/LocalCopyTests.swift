import Base
import Ctl
import Glibc
import TestSupport
import Testing

@testable import Contract

/// The local file of a copy.
struct LocalCopyTests {
    let folder = TemporaryFolder()
    var path: String { folder.file("here.jpg") }

    private func hash(_ text: String) -> String { Hexadecimal.text(of: SHA256.hash(of: Array(text.utf8))) }

    private func content(_ name: String) -> [UInt8]? {
        guard let file = fopen(folder.file(name), "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }

    private func copy(replaces: Bool = false, bytes: Int = 5) throws(Ending) -> LocalCopy {
        try LocalCopy(path, replaces: replaces, bytes: bytes)
    }

    /// Why something can't be done.
    private func failure(_ body: () throws(Ending) -> Void) -> CommandError? {
        do throws(Ending) {
            try body()
        } catch {
            if case .failed(let error) = error { return error }
        }
        return nil
    }

    private func beginning(replaces: Bool = false, bytes: Int = 5) -> CommandError? {
        failure { () throws(Ending) in _ = try copy(replaces: replaces, bytes: bytes) }
    }

    @Test func aFileHasItsNameWhenItIsComplete() throws {
        let copy = try copy()
        #expect(copy.bytes == 0)
        try copy.append(Array("pho".utf8))
        #expect(folder.names == ["here.jpg.part"])
        try copy.append(Array("to".utf8))
        #expect(try copy.finish(sha256: hash("photo")))
        #expect(folder.names == ["here.jpg"] && content("here.jpg") == Array("photo".utf8))
        #expect(folder.permissions(of: "here.jpg") == lessUmask(0o640))
    }

    @Test func anInterruptedCopyGoesOn() throws {
        folder.write("pho", to: "here.jpg.part")
        let copy = try copy()
        #expect(copy.bytes == 3)
        try copy.append(Array("to".utf8))
        #expect(try copy.finish(sha256: hash("photo")))
    }

    @Test func aCopyWithAnotherHashIsNotComplete() throws {
        folder.write("old", to: "here.jpg.part")
        let copy = try copy()
        #expect(try !copy.finish(sha256: hash("photo")) && folder.names == ["here.jpg.part"])
        try copy.restart()
        try copy.append(Array("photo".utf8))
        #expect(try copy.finish(sha256: hash("photo")))
    }

    /// The agent says how long the file is: what can't fit is not begun.
    @Test func whatCannotFitIsNotBegun() {
        let error = beginning(bytes: 1 << 50)
        #expect(error?.code == .storageFull)
        #expect(error?.message.contains("no room for 1125.9 TB more") == true)
        #expect(content("here.jpg.part") == [])
    }

    @Test func aFileIsReplacedOnlyWhereThatIsWanted() throws {
        folder.write("mine", to: "here.jpg")
        let error = beginning()
        #expect(error?.code == .conflict && error?.message.contains("--force") == true)
        #expect(folder.names == ["here.jpg"] && content("here.jpg") == Array("mine".utf8))
        let copy = try copy(replaces: true)
        try copy.append(Array("photo".utf8))
        #expect(try copy.finish(sha256: hash("photo")))
        #expect(content("here.jpg") == Array("photo".utf8))
    }

    /// Also one that was made during the copy.
    @Test func aFileThatWasMadeMeanwhileStays() throws {
        let copy = try copy()
        try copy.append(Array("photo".utf8))
        folder.write("mine", to: "here.jpg")
        let error = failure { () throws(Ending) in _ = try copy.finish(sha256: hash("photo")) }
        #expect(error?.code == .conflict && content("here.jpg") == Array("mine".utf8))
    }

    @Test func aFolderThatCannotBeSyncedIsAnError() throws {
        let path = folder.file("closed/here.jpg")
        let error = folder.withUnreadable("closed") { () -> CommandError? in
            failure { () throws(Ending) in
                let copy = try LocalCopy(path, replaces: false, bytes: 5)
                try copy.append(Array("photo".utf8))
                _ = try copy.finish(sha256: hash("photo"))
            }
        }
        #expect(error?.code == .device)
        #expect(error?.message.hasSuffix("can't be written: Permission denied") == true)
        #expect(folder.names(in: "closed") == ["here.jpg"])
    }

    @Test func twoCopiesOfAFileDoNotMix() throws {
        let first = try copy()
        withExtendedLifetime(first) { #expect(beginning()?.code == .busy) }
    }

    @Test func aLinkIsNotFollowed() {
        let foreign = folder.write("foreign", to: "foreign")
        folder.link("here.jpg.part", to: foreign)
        #expect(beginning() != nil)
        #expect(content("foreign") == Array("foreign".utf8))
    }
}
