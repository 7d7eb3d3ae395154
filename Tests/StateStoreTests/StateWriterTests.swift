import Base
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import State

@Suite(.timeLimit(.minutes(10))) struct StateWriterTests {
    let folder = TemporaryFolder()
    var path: String { folder.file("state.json") }
    var journal: Journal { Journal(path: path + ".journal") }
    private let reports = Reports()

    /// Opens the store and starts a writer after what it contains.
    private func writer(
        durability: Durability = .written, retry: Duration = .seconds(600)
    ) throws -> (StateWriter<Notes>, found: Notes?) {
        let (store, found) = try open()
        let writer = try StateWriter(
            store, found ?? Notes(), durability: durability, retry: retry
        ) { [reports] in reports.add($0) }
        return (writer, found)
    }

    private func open() throws(StateStoreError) -> (StateStore<Notes>, Notes?) {
        try whenUnlocked { () throws(StateStoreError) in
            let (store, found) = try StateStore<Notes>.open(path)
            return (store, found.document)
        }
    }

    /// What a new process finds, while the writer goes on: a copy of the folder.
    private func foundAfterKill() throws -> Notes? {
        let copy = TemporaryFolder()
        for name in folder.storedNames { write(read(folder.file(name)) ?? [], to: copy.file(name)) }
        return try StateStore<Notes>.open(copy.file("state.json")).found.document
    }

    @Test func aChangeThatWasReportedOutlivesTheProcess() throws {
        let (writer, found) = try writer()
        #expect(found == nil)
        for count in 1...50 {
            writer.submit(.set("a", count), ticket: count)
            #expect(reports.wait(for: [count]))
            #expect(try foundAfterKill()?.counts == ["a": count])
        }
        writer.submit(.set("b", 1), ticket: 51)
        writer.submit(.remove("a"), ticket: 52)
        reports.wait(for: [51, 52])
        #expect(try foundAfterKill()?.counts == ["b": 1])
        try writer.stop()
    }

    @Test func aLastSnapshotLeavesNothingInTheJournal() throws {
        do {
            let (writer, _) = try writer()
            for count in 1...10 { writer.submit(.set("a", count), ticket: count) }
            try writer.stop()
            #expect(reports.stored == Set(1...10))
        }
        #expect(try #require(read(journal.path)).allSatisfy { $0 == 0 })
        // A program without a journal reads the snapshot alone.
        let old = try whenUnlocked { () throws(StateStoreError) in try StateFile<Notes>.open(path) }
        #expect(old.found.document?.counts == ["a": 10])
        #expect(read(path) == read(path + ".previous"))
    }

    @Test func aSnapshotOfAProgramWithoutAJournalIsTakenOver() throws {
        let (killed, _) = try writer()
        for count in 1...2 {
            killed.submit(.set("a", count), ticket: count)
            reports.wait(for: [count])
        }
        // It was killed with lines in the journal. An older program replaced the snapshot, then this one
        // starts.
        let copy = TemporaryFolder()
        for name in folder.storedNames { write(read(folder.file(name)) ?? [], to: copy.file(name)) }
        let path = copy.file("state.json")
        do {
            let (file, _) = try whenUnlocked { () throws(StateStoreError) in
                try StateFile<Notes>.open(path)
            }
            try file.write(Notes(counts: ["old": 7]))
        }
        let (store, found) = try whenUnlocked { () throws(StateStoreError) in
            try StateStore<Notes>.open(path)
        }
        #expect(found.document?.counts == ["old": 7])
        let next = try StateWriter(store, try #require(found.document)) { [reports] in reports.add($0) }
        next.submit(.set("b", 8), ticket: 3)
        reports.wait(for: [3])
        try next.stop()
        try killed.stop()
        #expect(read(path).map { String(decoding: $0, as: UTF8.self) }?.contains(#""b":8"#) == true)
    }

    @Test func aFullAreaIsContinuedInTheOther() throws {
        let (writer, _) = try writer()
        let long = String(repeating: "x", count: 4000)
        // More than four areas.
        for count in 1...600 {
            writer.submit(.set(long + "\(count % 3)", count), ticket: count)
            if count % 100 == 0 {
                reports.wait(for: 1...count)
                #expect(try foundAfterKill()?.counts[long + "\(count % 3)"] == count)
            }
        }
        #expect(reports.wait(for: 1...600))
        try writer.stop()
        let (_, found) = try open()
        #expect(found?.counts == [long + "0": 600, long + "1": 598, long + "2": 599])
    }

    @Test func aFileThatIsGoneIsMadeAgain() throws {
        let (writer, _) = try writer()
        writer.submit(.set("a", 1), ticket: 1)
        reports.wait(for: [1])
        for name in folder.storedNames { unlink(folder.file(name)) }
        writer.submit(.set("b", 2), ticket: 2)
        #expect(reports.wait(for: [2]))
        #expect(try foundAfterKill()?.counts == ["a": 1, "b": 2])
        try writer.stop()
    }

    @Test func whatCannotBeStoredIsReportedAndStoredLater() throws {
        let (writer, _) = try writer(retry: .milliseconds(20))
        writer.submit(.set("a", 1), ticket: 1)
        reports.wait(for: [1])
        for name in folder.storedNames { unlink(folder.file(name)) }
        mkdir(path + ".new", 0o755)
        mkdir(journal.path, 0o755)
        writer.submit(.set("a", 2), ticket: 2)
        try #require(!reports.wait(for: [2]))
        rmdir(journal.path)
        rmdir(path + ".new")
        reports.waitForRecovery()
        #expect(try foundAfterKill()?.counts == ["a": 2])
        writer.submit(.set("a", 3), ticket: 3)
        #expect(reports.wait(for: [3]))
        try writer.stop()
    }

    /// The journal is full, and the snapshot that would replace it fails.
    @Test func aSnapshotThatFailsLeavesTheJournal() throws {
        let (writer, _) = try writer()
        writer.submit(.set("a", 1), ticket: 0)
        reports.wait(for: [0])
        mkdir(path + ".new", 0o755)
        let long = String(repeating: "x", count: 4000)
        var count = 0
        repeat {
            count += 1
            writer.submit(.set(long, count), ticket: count)
        } while reports.wait(for: [count])
        // Both areas have been filled.
        #expect(count > Journal.areaSize / 4096 * 3 / 2)
        #expect(try foundAfterKill()?.counts == ["a": 1, long: count - 1])
        rmdir(path + ".new")
        try writer.stop()
    }

    /// An older program has replaced the snapshot, and this one was killed before it made the journal anew.
    @Test func linesOfAnEarlierJournalNeverFollowAFirstGeneration() throws {
        do {
            let (writer, _) = try writer()
            writer.submit(.set("a", 1), ticket: 1)
            reports.wait(for: [1])
            writer.submit(.set("a", 2), ticket: 2)
            reports.wait(for: [2])
            let lines = try #require(read(journal.path))
            try writer.stop()
            write(lines, to: folder.file("earlier"))
        }
        for name in folder.storedNames where name != "earlier" { unlink(folder.file(name)) }
        let (writer, _) = try writer()
        writer.submit(.set("b", 1), ticket: 3)
        reports.wait(for: [3])
        write(try #require(read(folder.file("earlier"))), to: journal.path)
        #expect(try foundAfterKill()?.counts == ["b": 1])
        try writer.stop()
    }

    @Test func aStopThatCannotStoreSaysSo() throws {
        let (writer, _) = try writer()
        writer.submit(.set("a", 1), ticket: 1)
        reports.wait(for: [1])
        for name in folder.storedNames { unlink(folder.file(name)) }
        mkdir(path + ".new", 0o755)
        mkdir(journal.path, 0o755)
        writer.submit(.set("a", 2), ticket: 2)
        let error = thrown { () throws(StateStoreError) in try writer.stop() }
        guard case .file = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func aSyncedChangeIsReportedAfterTheSync() throws {
        let (writer, _) = try writer(durability: .synced)
        for count in 1...20 { writer.submit(.set("a", count), ticket: count) }
        #expect(reports.wait(for: 1...20))
        writer.submit(.set("a", 20), ticket: 21)
        #expect(reports.wait(for: [21]))
        try writer.stop()
    }

    @Test func aDocumentThatIsNotJSONFailsAlone() throws {
        let (writer, _) = try writer()
        writer.submit(.set("a", 1), ticket: 1)
        writer.submit(.scale(.infinity), ticket: 2)
        writer.submit(.set("b", 1), ticket: 3)
        #expect(!reports.wait(for: [2]))
        #expect(reports.wait(for: [1, 3]))
        #expect(try foundAfterKill()?.counts == ["a": 1, "b": 1])
        try writer.stop()
    }

    @Test func aWriterThatIsReleasedStoresWhatWasSubmitted() throws {
        do {
            let (writer, _) = try writer()
            for count in 1...5 { writer.submit(.set("a", count), ticket: count) }
        }
        #expect(reports.wait(for: 1...5))
        #expect(try foundAfterKill()?.counts == ["a": 5])
    }
}
