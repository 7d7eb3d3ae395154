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

    @Test func aFileHasItsNameWhenItIsComplete() {
        let copy = LocalCopy()
        #expect(copy.perform(.open(path: path, replaces: false, bytes: 5)) == .opened(bytes: 0))
        #expect(copy.perform(.append(Array("pho".utf8))) == .appended && folder.names == ["here.jpg.part"])
        #expect(copy.perform(.append(Array("to".utf8))) == .appended)
        #expect(copy.perform(.finish(sha256: hash("photo"))) == .complete)
        #expect(folder.names == ["here.jpg"] && content("here.jpg") == Array("photo".utf8))
        #expect(folder.permissions(of: "here.jpg") == lessUmask(0o640))
    }

    @Test func anInterruptedCopyGoesOn() {
        folder.write("pho", to: "here.jpg.part")
        let copy = LocalCopy()
        #expect(copy.perform(.open(path: path, replaces: false, bytes: 5)) == .opened(bytes: 3))
        #expect(copy.perform(.append(Array("to".utf8))) == .appended)
        #expect(copy.perform(.finish(sha256: hash("photo"))) == .complete)
    }

    @Test func aCopyWithAnotherHashIsNotComplete() {
        folder.write("old", to: "here.jpg.part")
        let copy = LocalCopy()
        _ = copy.perform(.open(path: path, replaces: false, bytes: 5))
        #expect(copy.perform(.finish(sha256: hash("photo"))) == .differs && folder.names == ["here.jpg.part"])
        #expect(copy.perform(.restart) == .opened(bytes: 0))
        #expect(copy.perform(.append(Array("photo".utf8))) == .appended)
        #expect(copy.perform(.finish(sha256: hash("photo"))) == .complete)
    }

    /// The agent says how long the file is: what can't fit is not begun.
    @Test func whatCannotFitIsNotBegun() {
        let copy = LocalCopy()
        guard case .failed(let error) = copy.perform(.open(path: path, replaces: false, bytes: 1 << 50))
        else {
            Issue.record("it is opened")
            return
        }
        #expect(error.code == .storageFull && error.message.contains("no room for 1125899906842624 bytes"))
        #expect(content("here.jpg.part") == [])
    }

    @Test func aFileIsReplacedOnlyWhereThatIsWanted() {
        folder.write("mine", to: "here.jpg")
        guard case .failed(let error) = LocalCopy().perform(.open(path: path, replaces: false, bytes: 5))
        else {
            Issue.record("it is opened")
            return
        }
        #expect(error.code == .conflict && error.message.contains("--force"))
        #expect(folder.names == ["here.jpg"] && content("here.jpg") == Array("mine".utf8))
        let copy = LocalCopy()
        #expect(copy.perform(.open(path: path, replaces: true, bytes: 5)) == .opened(bytes: 0))
        _ = copy.perform(.append(Array("photo".utf8)))
        #expect(copy.perform(.finish(sha256: hash("photo"))) == .complete)
        #expect(content("here.jpg") == Array("photo".utf8))
    }

    /// Also one that was made during the copy.
    @Test func aFileThatWasMadeMeanwhileStays() {
        let copy = LocalCopy()
        _ = copy.perform(.open(path: path, replaces: false, bytes: 5))
        _ = copy.perform(.append(Array("photo".utf8)))
        folder.write("mine", to: "here.jpg")
        guard case .failed(let error) = copy.perform(.finish(sha256: hash("photo"))) else {
            Issue.record("it is replaced")
            return
        }
        #expect(error.code == .conflict && content("here.jpg") == Array("mine".utf8))
    }

    @Test func aFolderThatCannotBeSyncedIsAnError() throws {
        let path = folder.file("closed/here.jpg")
        let copy = LocalCopy()
        let result = folder.withUnreadable("closed") {
            _ = copy.perform(.open(path: path, replaces: false, bytes: 5))
            _ = copy.perform(.append(Array("photo".utf8)))
            return copy.perform(.finish(sha256: hash("photo")))
        }
        guard case .failed(let error) = result else {
            Issue.record("it is complete")
            return
        }
        #expect(error.code == .device && error.message.hasSuffix("can't be written: Permission denied"))
        #expect(folder.names(in: "closed") == ["here.jpg"])
    }

    @Test func twoCopiesOfAFileDoNotMix() {
        let (first, second) = (LocalCopy(), LocalCopy())
        #expect(first.perform(.open(path: path, replaces: false, bytes: 5)) == .opened(bytes: 0))
        guard case .failed(let error) = second.perform(.open(path: path, replaces: false, bytes: 5)) else {
            Issue.record("both write")
            return
        }
        #expect(error.code == .busy)
    }

    @Test func aLinkIsNotFollowed() {
        let foreign = folder.write("foreign", to: "foreign")
        folder.link("here.jpg.part", to: foreign)
        guard case .failed = LocalCopy().perform(.open(path: path, replaces: false, bytes: 5)) else {
            Issue.record("the link is followed")
            return
        }
        #expect(content("foreign") == Array("foreign".utf8))
    }
}
