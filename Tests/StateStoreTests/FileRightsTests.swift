import Base
import Glibc
import TestSupport
import Testing

@testable import State

/// The state is not readable for other users, and a symbolic link leads no write to a foreign file.
@Suite(.timeLimit(.minutes(10))) struct FileRightsTests {
    let folder = TemporaryFolder()
    let loop = EventLoop()
    var path: String { folder.file("state/state.json") }

    /// Opens the state, and stores changes: in a new file, in a slot, and in a file with greater slots.
    /// Returns why the last one isn't stored.
    private func storeChanges() throws -> StateStoreError? {
        let store = try SlotStore(
            whenUnlocked { () throws(StateStoreError) in try SlotFolder(path) }, syncs: true, on: loop)
        var last: StateStoreError?
        for length in [1, 2, 5_000] {
            var isDone = false
            store.store({ [UInt8](repeating: 0x78, count: length) }, as: "a") {
                (last, isDone) = ($0, true)
            }
            while !isDone { loop.runOnce(timeout: nil) }
        }
        return last
    }

    @Test func otherUsersMayNotReadTheState() throws {
        #expect(try storeChanges() == nil)
        for name in ["state", "state/state.json.slots"] {
            #expect(folder.permissions(of: name) == lessUmask(0o750))
        }
        #expect(folder.names(in: "state") == ["state.json.lock", "state.json.slots"])
        #expect(folder.names(in: "state/state.json.slots") == ["a"])
        for name in ["state.json.lock", "state.json.slots/a"] {
            #expect(folder.permissions(of: "state/" + name) == lessUmask(0o640), "\(name)")
        }
    }

    @Test func aLinkInPlaceOfANewFileIsReplaced() throws {
        let foreign = folder.write("foreign", to: "foreign")
        for name in ["state", "state/state.json.slots"] { mkdir(folder.file(name), 0o750) }
        folder.link("state/state.json.slots/a.new", to: foreign)
        #expect(try storeChanges() == nil)
        #expect(read(foreign) == Array("foreign".utf8))
        #expect(folder.permissions(of: "foreign") == lessUmask(0o666))
    }

    @Test(arguments: ["", ".previous", ".journal", ".lock", ".slots/a"]) func aLinkIsNotFollowed(
        suffix: String
    ) throws {
        for name in ["state", "state/state.json.slots"] { mkdir(folder.file(name), 0o750) }
        if suffix == ".previous" { rmdir(path + ".slots") }
        let foreign = folder.write(#"{"version":1,"checksum":"a3a6bf43","state":{}}"#, to: "foreign")
        if suffix == ".journal" { write(try #require(read(foreign)), to: path) }
        folder.link("state/state.json" + suffix, to: foreign)
        let error = thrown { () throws(StateStoreError) in
            let folder = try whenUnlocked { () throws(StateStoreError) in try SlotFolder(path) }
            _ = try folder.read("a")
            _ = try folder.earlierState(discardsJournal: true)
        }
        let doing = suffix == ".lock" ? "create" : "open"
        #expect(error == .file(doing: doing, path: path + suffix, code: ELOOP))
        #expect(error?.description.contains("a symbolic link, which is not followed") == true)
    }
}
