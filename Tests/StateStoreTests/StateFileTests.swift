import Glibc
import TestSupport
import Testing

@testable import State

@Suite struct StateFileTests {
    let folder = TemporaryFolder()
    var path: String { folder.file("state.json") }

    /// Opens, reports what was found, and gives the lock back.
    func load() throws(StateStoreError) -> LoadedState<Note> {
        try opened().found
    }

    private func opened() throws(StateStoreError) -> (file: StateFile<Note>, found: LoadedState<Note>) {
        try whenUnlocked { () throws(StateStoreError) in try StateFile<Note>.open(path) }
    }

    func save(_ notes: Note...) throws(StateStoreError) {
        let file = try opened().file
        for note in notes { try file.write(note) }
    }

    @Test func firstStartFindsNothing() throws {
        let found = try load()
        #expect(found.document == nil)
        #expect(found.damaged.isEmpty)
    }

    @Test func whatWasWrittenIsFound() throws {
        let note = Note(text: "Tür „offen“ \"quoted\" \n", count: -3, factor: 2.5)
        try save(Note(text: "older", count: 1), note)
        let found = try load()
        #expect(found.document == note)
        #expect(folder.storedNames == ["state.json", "state.json.previous"])
    }

    @Test func theBytesAreAsDocumented() throws {
        try save(Note(text: "a", count: 1))
        let text = String(decoding: try #require(read(path)), as: UTF8.self)
        // The checksum was worked out with Python's zlib.crc32.
        #expect(
            text == #"{"version":1,"checksum":"d7793bd4","state":{"count":1,"factor":1,"text":"a"}}"# + "\n")
    }

    @Test func everyTornFileIsReplacedByTheGenerationBefore() throws {
        let before = Note(text: "before", count: 1)
        try save(before, Note(text: "after", count: 2))
        let whole = try #require(read(path))
        let previous = try #require(read(path + ".previous"))
        for length in 0..<whole.count {
            write(Array(whole.prefix(length)), to: path)
            write(previous, to: path + ".previous")
            let found = try load()
            #expect(found.document == before, "torn after \(length) bytes")
            let damaged = try #require(found.damaged.first)
            #expect(damaged.path == path)
            #expect(read(damaged.setAsideAs) == Array(whole.prefix(length)))
            #expect(read(path) == nil)
        }
        #expect(folder.storedNames.filter { $0.hasPrefix("state.json.damaged-2") }.count == whole.count)
    }

    /// A disk may have made room for all of a file and have written only the beginning: what follows is
    /// nothing, or what was there.
    @Test(arguments: ["zeros", "old"]) func aFileTornInPlaceIsReplacedByTheGenerationBefore(rest: String)
        throws
    {
        let before = Note(text: "before", count: 1)
        try save(before, Note(text: "after!", count: 2))
        let whole = try #require(read(path))
        let previous = try #require(read(path + ".previous"))
        #expect(whole.count == previous.count)
        let tail = rest == "zeros" ? [UInt8](repeating: 0, count: whole.count) : previous
        for length in 0..<whole.count {
            let torn = Array(whole.prefix(length) + tail.dropFirst(length))
            write(torn, to: path)
            write(previous, to: path + ".previous")
            let found = try load()
            if torn == previous || torn == whole {
                #expect(found.damaged.isEmpty)
                continue
            }
            #expect(found.document == before, "torn after \(length) bytes")
            unlink(try #require(found.damaged.first, "torn after \(length) bytes").setAsideAs)
        }
    }

    @Test func aTornGenerationBeforeHarmsNothing() throws {
        try save(Note(text: "before", count: 1), Note(text: "after", count: 2))
        let previous = try #require(read(path + ".previous"))
        for length in 0..<previous.count {
            write(Array(previous.prefix(length)), to: path + ".previous")
            let found = try load()
            #expect(found.document?.text == "after" && found.damaged.isEmpty)
        }
        try save(Note(text: "next", count: 3))
        #expect(try load().document?.text == "next")
    }

    /// The folder as a power cut leaves it after each step of a write.
    @Test(arguments: [
        ["": "now", ".previous": "before", ".new": "ne"], ["": "now", ".previous": "before", ".new": "next"],
        ["": "now", ".new": "next"], ["": "now", ".previous": "now", ".new": "next"],
        ["": "next", ".previous": "now"], [".previous": "now", ".new": "next"],
    ]) func aWriteThatStopsAtAnyStepLosesNothing(left: [String: String]) throws {
        var bytes: [String: [UInt8]] = ["ne": Array("{".utf8)]
        for (count, text) in ["before", "now", "next"].enumerated() {
            try save(Note(text: text, count: count))
            bytes[text] = read(path)
        }
        for name in folder.storedNames { unlink(folder.file(name)) }
        for (suffix, text) in left { write(try #require(bytes[text]), to: path + suffix) }
        let found = try load()
        #expect(found.document?.text == left[""] ?? left[".previous"])
        #expect(found.damaged.isEmpty)
        try save(Note(text: "after the cut", count: 9))
        #expect(try load().document?.text == "after the cut")
    }

    @Test func aFolderThatWasTakenAwayIsMadeAgain() throws {
        let deep = folder.file("a/b/state.json")
        let file = try StateFile<Note>.open(deep).file
        try file.write(Note(text: "before", count: 1))
        removeAll(folder.file("a"))
        try file.write(Note(text: "after", count: 2))
        #expect(read(deep) != nil)
    }

    @Test func noFlippedBitGoesUnnoticed() throws {
        let before = Note(text: "before", count: 1)
        try save(before, Note(text: "after", count: 2))
        let whole = try #require(read(path))
        for bit in 0..<(whole.count * 8) {
            var flipped = whole
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            write(flipped, to: path)
            let isVersionDigit = bit / 8 == #"{"version":"#.utf8.count
            switch Result(catching: load) {
            case .success(let found):
                #expect(found.document == before, "bit \(bit)")
                #expect(found.damaged.count == 1)
                unlink(try #require(found.damaged.first).setAsideAs)
            case .failure(let error):
                guard case .newerVersion = error else { throw error }
                #expect(isVersionDigit, "bit \(bit)")
                #expect(read(path) == flipped)
            }
        }
    }

    @Test func bothDamagedStartsAnewAndKeepsBoth() throws {
        write(Array("junk".utf8), to: path)
        write([], to: path + ".previous")
        let found = try load()
        #expect(found.document == nil)
        #expect(found.damaged.map(\.path) == [path, path + ".previous"])
        #expect(found.damaged.allSatisfy { read($0.setAsideAs) != nil })
        try save(Note(text: "anew", count: 0))
        #expect(try load().document?.text == "anew")
    }

    @Test func aStateOfAnotherShapeCountsAsDamaged() throws {
        do {
            let file = try StateFile<[String: Int]>.open(path).file
            try file.write(["elsewhere": 1])
        }
        let found = try load()
        #expect(found.document == nil)
        #expect(found.damaged.count == 1)
    }

    @Test func theGenerationBeforeIsUsedWhenTheFileIsGone() throws {
        try save(Note(text: "before", count: 1), Note(text: "after", count: 2))
        unlink(path)
        let found = try load()
        #expect(found.document?.text == "before")
        #expect(found.damaged.isEmpty)
        // The one generation left must survive the next write, which has no file to keep.
        try save(Note(text: "next", count: 3))
        #expect(try load().document?.text == "next")
        #expect(read(path + ".previous") != nil)
    }

    @Test(arguments: ["", ".previous"]) func aNewerFileIsNeverTouched(suffix: String) throws {
        let newer = Array(#"{"version":2,"whatever":true}"#.utf8)
        write(newer, to: path + suffix)
        let error = thrown { () throws(StateStoreError) in _ = try load() }
        #expect(error == .newerVersion(path: path + suffix, found: 2, known: 1))
        #expect(read(path + suffix) == newer)
        #expect(error?.description.contains("version 2") == true)
    }

    @Test func whatAnInterruptedWriteLeftIsRemoved() throws {
        try save(Note(text: "good", count: 1))
        write(Array("half".utf8), to: path + ".new")
        #expect(try load().document?.text == "good")
        #expect(folder.storedNames == ["state.json"])
    }

    @Test func twoAgentsCannotShareAFile() throws {
        let first = try StateFile<Note>.open(path).file
        // Not `load`, which waits for the lock.
        let error = thrown { () throws(StateStoreError) in _ = try StateFile<Note>.open(path) }
        #expect(error == .locked(path: path))
        withExtendedLifetime(first) {}
    }

    @Test func theLockEndsWithItsOwner() throws {
        do { _ = try StateFile<Note>.open(path) }
        _ = try load()
    }

    @Test func missingFoldersAreMade() throws {
        let deep = folder.file("a/b/c/state.json")
        let file = try StateFile<Note>.open(deep).file
        try file.write(Note(text: "deep", count: 1))
        #expect(read(deep) != nil)
    }

    @Test func aFolderThatCannotBeMadeIsNamed() {
        write([], to: folder.file("plain"))
        let error = thrown { () throws(StateStoreError) in
            _ = try StateFile<Note>.open(folder.file("plain/sub/state.json"))
        }
        #expect(error == .file(doing: "make the folder", path: folder.file("plain/sub"), code: ENOTDIR))
    }

    @Test func aFileThatCannotBeReadIsLeftAlone() {
        mkdir(path, 0o755)
        let error = thrown { () throws(StateStoreError) in _ = try load() }
        #expect(error == .file(doing: "read", path: path, code: EISDIR))
        #expect(error?.description == "can't read \(path): Is a directory")
    }

    @Test func aFailedWriteLeavesTheFileAsItWas() throws {
        let (file, _) = try StateFile<Note>.open(path)
        try file.write(Note(text: "good", count: 1))
        mkdir(path + ".new", 0o755)
        #expect(
            thrown { () throws(StateStoreError) in try file.write(Note(text: "lost", count: 2)) }
                == .file(doing: "create", path: path + ".new", code: EISDIR))
        rmdir(path + ".new")
        try file.write(Note(text: "better", count: 3))
        #expect(
            read(path + ".previous").map { String(decoding: $0, as: UTF8.self) }?.contains("good") == true)
    }

    @Test func whatJSONCannotSayIsRefused() throws {
        let (file, _) = try StateFile<Note>.open(path)
        let error = thrown { () throws(StateStoreError) in
            try file.write(Note(text: "", count: 0, factor: .infinity))
        }
        guard case .encoding = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(folder.storedNames == [])
    }
}
