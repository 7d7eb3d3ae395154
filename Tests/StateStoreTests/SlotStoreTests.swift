import Base
import Glibc
import TestSupport
import Testing

@testable import State

/// Documents on the disk: what was reported, what a kill leaves, and what a disk that fails gets later.
@Suite(.timeLimit(.minutes(10))) final class SlotStoreTests {
    let temporary = TemporaryFolder()
    let loop = EventLoop()
    private var failures: [StateStoreError?] = []
    private var path: String { temporary.file("state.json") }
    private func file(_ name: String) -> String { "\(path).slots/\(name)" }

    private func store(
        syncs: Bool = false, syncInterval: Duration = .seconds(600), retry: Duration = .seconds(600)
    ) throws -> SlotStore {
        let folder = try whenUnlocked { () throws(StateStoreError) in try SlotFolder(path) }
        let store = try SlotStore(folder, syncs: syncs, syncInterval: syncInterval, retry: retry, on: loop)
        store.failureChanged = { [weak self] in self?.failures.append($0) }
        return store
    }

    private func run(until isDone: () -> Bool) { while !isDone() { loop.runOnce(timeout: nil) } }

    /// Stores a document, and returns why it isn't stored.
    private func set(_ text: String, _ name: String = "a", by store: SlotStore) -> StateStoreError? {
        var outcomes: [StateStoreError?] = []
        store.store({ Array(text.utf8) }, as: name, stored: { outcomes.append($0) })
        #expect(outcomes.isEmpty, "never before the call returns")
        run { !outcomes.isEmpty }
        return outcomes[0]
    }

    private func flush(_ store: SlotStore) -> StateStoreError? {
        var outcomes: [StateStoreError?] = []
        store.flush { outcomes.append($0) }
        run { !outcomes.isEmpty }
        return outcomes[0]
    }

    /// What a new process finds.
    private func found(_ name: String = "a", in path: String? = nil) -> String? {
        let contents = read(path ?? file(name)).map(SlotFile.contents)
        return contents?.documents.first.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func whatWasReportedOutlivesTheProcess() throws {
        let store = try store()
        for count in 1...20 {
            #expect(set("\(count)", by: store) == nil)
            #expect(found() == "\(count)")
        }
        #expect(set("b", "b", by: store) == nil && found("b") == "b" && found() == "20")
        #expect(store.isWritten && failures.isEmpty)
    }

    @Test func whatIsFoundIsContinued() throws {
        do {
            let store = try store()
            for count in 1...6 { #expect(set("\(count)", by: store) == nil) }
        }
        let store = try store()
        let contents = try #require(read(file("a")).map(SlotFile.contents))
        // The newest one can't be used.
        store.add("a", contents, contents.documents[1], isSynced: false)
        #expect(flush(store) == nil)
        #expect(set("7", by: store) == nil && found() == "7")
        let slots = SlotFile.contents(of: try #require(read(file("a")))).documents
        #expect(slots.contains { $0.bytes == contents.documents[1].bytes }, "the one that was taken")
    }

    /// Without room for a new file, changes are stored beside the torn slot.
    @Test(arguments: [true, false]) func aTornSlotIsRemovedWithTheFirstChange(hasRoom: Bool) throws {
        do {
            let store = try store()
            for count in 1...2 { #expect(set("\(count)", by: store) == nil) }
        }
        var bytes = try #require(read(file("a")))
        bytes[4 * 4096 - 1] = 0
        write(bytes, to: file("a"))
        if !hasRoom { mkdir(file("a") + ".new", 0o755) }
        let store = try store()
        let contents = SlotFile.contents(of: bytes)
        store.add("a", contents, contents.documents[0], isSynced: true)
        #expect(set("3", by: store) == nil && set("4", by: store) == nil && failures.isEmpty)
        let stored = SlotFile.contents(of: try #require(read(file("a"))))
        #expect(found() == "4" && stored.tornSlots == (hasRoom ? 0 : 1))
    }

    /// As many changes as there may be while a line is written: only the newest one is.
    @Test func ofManyChangesTheNewestIsWritten() throws {
        let store = try store()
        var stored = 0
        for count in 1...1000 {
            store.store({ Array("\(count)".utf8) }, as: "a", stored: { _ in stored += 1 })
        }
        run { stored == 1000 }
        #expect(found() == "1000")
        #expect(SlotFile.contents(of: try #require(read(file("a")))).documents[0].slot.generation == 2)
    }

    @Test func aSyncIsReportedForTheNewestForm() throws {
        let store = try store()
        var synced: [Int] = []
        for count in 1...3 {
            var isStored = false
            store.store({ Array("\(count)".utf8) }, as: "a", stored: { _ in isStored = true }) {
                synced.append(count)
            }
            run { isStored }
        }
        // The file was new, so that the disk has the first one already.
        #expect(synced == [1])
        #expect(flush(store) == nil && synced == [1, 3])
    }

    @Test func whereChangesAreSyncedTheyAreStoredAfterTheSync() throws {
        let store = try store(syncs: true)
        for count in 1...10 {
            var isSynced = false
            var stored: Bool?
            store.store({ Array("\(count)".utf8) }, as: "a", stored: { _ in stored = isSynced }) {
                isSynced = true
            }
            run { stored != nil && isSynced }
            #expect(found() == "\(count)")
        }
    }

    @Test func aFileThatIsGoneIsMadeAgainAndTheOthersToo() throws {
        let store = try store()
        #expect(set("1", by: store) == nil && set("b", "b", by: store) == nil)
        removeAll(path + ".slots")
        #expect(set("2", by: store) == nil)
        #expect(flush(store) == nil && found() == "2" && found("b") == "b" && failures.isEmpty)
    }

    @Test func aFileThatIsGoneBeforeItsSyncIsMadeAgain() throws {
        let store = try store(syncs: true)
        #expect(set("1", by: store) == nil && set("2", by: store) == nil)
        var isStored = false
        store.store({ Array("3".utf8) }, as: "a", stored: { isStored = $0 == nil })
        // The sync begins when the loop runs. A file that goes during its write may be an error.
        while found() != "3" { sched_yield() }
        removeAll(path + ".slots")
        run { isStored }
        #expect(flush(store) == nil && found() == "3" && failures.isEmpty)
    }

    @Test func whatCannotBeStoredIsReportedAndStoredLater() throws {
        let store = try store(retry: .milliseconds(20))
        #expect(set("1", by: store) == nil)
        removeAll(path + ".slots")
        write([], to: path + ".slots")
        #expect(set("2", by: store) != nil && !store.isWritten)
        #expect(flush(store) != nil)
        unlink(path + ".slots")
        run { failures.count == 2 }
        #expect(failures[0] != nil && failures[1] == nil && found() == "2" && store.isWritten)
        #expect(set("3", by: store) == nil && failures.count == 2)
    }

    /// The system may have dropped what it could not write: it is written again, in another slot.
    @Test func aSyncThatFailsIsReportedAndTheLineWrittenAgain() throws {
        let store = try store(retry: .milliseconds(20))
        #expect(set("1", by: store) == nil && set("2", by: store) == nil)
        rename(file("a"), temporary.file("a"))
        temporary.link("state.json.slots/a", to: temporary.file("a"))
        #expect(flush(store) != nil && failures.count == 1)
        rename(temporary.file("a"), file("a"))
        var documents: [SlotFile.Document] { read(file("a")).map(SlotFile.contents)?.documents ?? [] }
        run { documents.count == 3 }
        #expect(documents[0].bytes == documents[1].bytes && documents[0].slot != documents[1].slot)
        #expect(flush(store) == nil && failures.count == 2 && found() == "2")
    }

    @Test func aDocumentThatCannotBeMadeFailsAlone() throws {
        struct NoNumber: Error {}
        let store = try store()
        #expect(set("1", by: store) == nil)
        var outcome: StateStoreError??
        store.store({ throw NoNumber() }, as: "b", stored: { outcome = $0 })
        run { outcome != nil }
        guard case .encoding = try #require(outcome) else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(set("2", by: store) == nil && found() == "2")
    }

    @Test func aStoreThatIsReleasedWritesWhatWasSubmitted() throws {
        /// The contents have it until they are written.
        final class Content: Sendable {
            let released: Monitor<Bool>
            init(_ released: Monitor<Bool>) { self.released = released }
            deinit { released.change { isReleased, _ in isReleased = true } }
            func text(_ count: Int) -> [UInt8] { Array("\(count)".utf8) }
        }
        let released = Monitor(false)
        do {
            let (store, content) = (try store(), Content(released))
            for count in 1...5 { store.store({ content.text(count) }, as: "a", stored: { _ in }) }
        }
        // The writer's thread has no one to tell.
        released.wait { isReleased, _ in isReleased ? .answer(()) : .wait(until: nil) }
        #expect(found() == "5")
    }
}
