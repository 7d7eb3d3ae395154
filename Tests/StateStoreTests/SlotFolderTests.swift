import Glibc
import TestSupport
import Testing

@testable import State

/// The files of a state, and the state of a version with a journal.
@Suite struct SlotFolderTests {
    let temporary = TemporaryFolder()
    var path: String { temporary.file("state.json") }

    private func folder(_ path: String? = nil) throws(StateStoreError) -> SlotFolder {
        try whenUnlocked { () throws(StateStoreError) in try SlotFolder(path ?? self.path) }
    }

    @Test func twoAgentsCannotShareAState() throws {
        let first = try folder()
        // Not `folder`, which waits for the lock.
        #expect(thrown { () throws(StateStoreError) in _ = try SlotFolder(path) } == .locked(path: path))
        withExtendedLifetime(first) {}
    }

    @Test func theLockEndsWithItsOwner() throws {
        do { _ = try folder() }
        _ = try folder()
    }

    @Test func missingFoldersAreMade() throws {
        _ = try folder(temporary.file("a/b/c/state.json"))
        #expect(temporary.names(in: "a/b/c") == ["state.json.lock"])
    }

    @Test func aFolderThatCannotBeMadeIsNamed() {
        write([], to: temporary.file("plain"))
        let error = thrown { () throws(StateStoreError) in
            _ = try folder(temporary.file("plain/sub/state.json"))
        }
        #expect(error == .file(doing: "make the folder", path: temporary.file("plain/sub"), code: ENOTDIR))
    }

    @Test func aFileThatCannotBeReadIsLeftAlone() throws {
        mkdir(path + ".slots", 0o755)
        mkdir(path + ".slots/a", 0o755)
        let folder = try folder()
        let error = thrown { () throws(StateStoreError) in _ = try folder.read("a") }
        #expect(error == .file(doing: "read", path: path + ".slots/a", code: EISDIR))
        #expect(try folder.read("b") == nil)
    }

    @Test func aDamagedFileIsSetAsideAsOftenAsItIsDamaged() throws {
        mkdir(path + ".slots", 0o755)
        let folder = try folder()
        let names = try (0..<3).map { count in
            write([UInt8(count)], to: path + ".slots/a")
            return try folder.setAside("a")
        }
        #expect(Set(names).count == 3 && names.enumerated().allSatisfy { read($1) == [UInt8($0)] })
    }

    // MARK: A version with a journal

    private static let document = #"{"boot":3}"#
    private static let whole = Array(#"{"version":1,"checksum":"a2fcb334","state":{"boot":3}}"#.utf8) + [0x0A]

    /// As that version leaves it.
    private func stopped(journal: [UInt8]? = [0, 0, 0]) {
        for suffix in ["", ".previous"] { write(Self.whole, to: path + suffix) }
        if let journal { write(journal, to: path + ".journal") }
    }

    private func earlier(discardsJournal: Bool = false) throws(StateStoreError) -> EarlierState? {
        try folder().earlierState(discardsJournal: discardsJournal)
    }

    @Test func itsStateIsReadAfterACleanStopAndKept() throws {
        stopped()
        let found = try #require(try earlier())
        #expect(found.document == Array(Self.document.utf8) && found.hasAllChanges)
        try folder().keepEarlierState()
        #expect(temporary.names == ["state.json.before-slots", "state.json.lock"])
        #expect(read(path + ".before-slots") == Self.whole)
        #expect(try earlier() == nil)
    }

    @Test(arguments: ["lines", "torn"]) func withoutACleanStopItIsLeftAsItIs(left: String) throws {
        stopped(journal: left == "lines" ? [0, 0, 9] : [0, 0])
        if left == "torn" { write(Array(Self.whole.dropLast(4)), to: path) }
        let before = temporary.names.map { read(temporary.file($0)) }
        let error = thrown { () throws(StateStoreError) in _ = try earlier() }
        #expect(error == .notStopped(path: path))
        #expect(error?.description.contains("start and stop the previous version once, or") == true)
        #expect(error?.description.contains("--discard-journal") == true)
        let found = try #require(try earlier(discardsJournal: true))
        #expect(found.document == Array(Self.document.utf8) && !found.hasAllChanges)
        #expect(temporary.names.filter { !$0.hasSuffix(".lock") }.map { read(temporary.file($0)) } == before)
    }

    @Test func withoutItsJournalChangesMayBeMissing() throws {
        stopped(journal: nil)
        #expect(try earlier()?.hasAllChanges == false)
    }

    @Test func whenNothingIsWholeThereIsNoDocument() throws {
        for suffix in ["", ".previous"] { write(Array("rubbish".utf8), to: path + suffix) }
        let found = try #require(try earlier(discardsJournal: true))
        #expect(found.document == nil && !found.hasAllChanges)
    }

    @Test func theGenerationBeforeIsUsedWhenTheFileIsGone() throws {
        stopped()
        unlink(path)
        #expect(try earlier()?.document == Array(Self.document.utf8))
        try folder().keepEarlierState()
        #expect(temporary.names == ["state.json.before-slots", "state.json.lock"])
    }

    @Test func whatIsLeftBesideSlotsIsNoState() throws {
        stopped()
        unlink(path)
        mkdir(path + ".slots", 0o755)
        #expect(try earlier() == nil)
    }

    @Test func aFileOfAnotherVersionIsLeftAsItIs() throws {
        let other = Array(#"{"version":2,"whatever":true}"#.utf8)
        write(other, to: path)
        let error = thrown { () throws(StateStoreError) in _ = try earlier() }
        #expect(error == .notStopped(path: path) && read(path) == other)
    }

    @Test func noFlippedBitOfItsFileGoesUnnoticed() {
        for bit in 0..<(Self.whole.count * 8) {
            var flipped = Self.whole
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(EarlierState.document(in: flipped) == nil, "bit \(bit)")
        }
    }

    @Test func olderSlotsAreSetAside() throws {
        #expect(try folder().setSlotsAside() == nil)
        mkdir(path + ".slots", 0o755)
        let aside = try #require(try folder().setSlotsAside())
        #expect(aside.hasPrefix(path + ".slots.replaced-") && access(aside, F_OK) == 0)
        #expect(access(path + ".slots", F_OK) != 0)
    }
}
