import Glibc
import TestSupport
import Testing

@testable import State

/// The state is not readable for other users, and a symbolic link leads no write to a foreign file.
@Suite(.timeLimit(.minutes(10))) struct FileRightsTests {
    let folder = TemporaryFolder()
    var path: String { folder.file("state/state.json") }

    /// Opens the state, and stores changes by a snapshot and by the journal.
    private func storeChanges() throws(StateStoreError) {
        let reports = Reports()
        let (store, _) = try whenUnlocked { () throws(StateStoreError) in
            try StateStore<Notes>.open(path)
        }
        let writer = try StateWriter(store, Notes(), durability: .written, retry: .seconds(600)) {
            reports.add($0)
        }
        for count in 1...2 {
            writer.submit(.set("a", count), ticket: count)
            #expect(reports.wait(for: [count]))
        }
        try writer.stop()
    }

    @Test func otherUsersMayNotReadTheState() throws {
        try storeChanges()
        #expect(folder.permissions(of: "state") == lessUmask(0o750))
        let names = folder.names(in: "state")
        #expect(names == ["state.json", "state.json.journal", "state.json.lock", "state.json.previous"])
        for name in names { #expect(folder.permissions(of: "state/" + name) == lessUmask(0o640), "\(name)") }
    }

    @Test(arguments: [".new", ".journal", ".previous"]) func aLinkIsReplacedAndNotFollowed(
        suffix: String
    ) throws {
        let foreign = folder.write("foreign", to: "foreign")
        mkdir(folder.file("state"), 0o750)
        folder.link("state/state.json" + suffix, to: foreign)
        if suffix == ".previous" {
            // It would be read in place of a state that is missing.
            let error = thrown { () throws(StateStoreError) in try storeChanges() }
            #expect(error == .file(doing: "open", path: path + suffix, code: ELOOP))
            #expect(error?.description.contains("a symbolic link, which is not followed") == true)
        } else {
            try storeChanges()
            #expect(folder.permissions(of: "state/state.json" + suffix) != 0o777)
        }
        #expect(read(foreign) == Array("foreign".utf8))
        #expect(folder.permissions(of: "foreign") == lessUmask(0o666))
    }

    @Test(arguments: ["", ".lock"]) func aLinkToAForeignFileIsNotOpened(suffix: String) throws {
        mkdir(folder.file("state"), 0o750)
        folder.link("state/state.json" + suffix, to: folder.file("foreign"))
        #expect(
            thrown { () throws(StateStoreError) in try storeChanges() }
                == .file(doing: suffix.isEmpty ? "open" : "create", path: path + suffix, code: ELOOP))
        #expect(read(folder.file("foreign")) == nil)
    }
}
