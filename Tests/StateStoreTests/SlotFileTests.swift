import Base
import Glibc
import TestSupport
import Testing

@testable import State

/// A file with slots, as crashes and people may leave it.
@Suite struct SlotFileTests {
    let folder = TemporaryFolder()
    var file: SlotFile { SlotFile(path: folder.file("slots/door")) }

    /// Writes documents one after the other. Returns what describes the file then.
    @discardableResult private func write(_ documents: String...) throws -> (slots: Slots, size: Int) {
        var state: (slots: Slots, size: Int)?
        for document in documents {
            let slot = state?.slots.next ?? .init(index: 0, generation: 1)
            let written = try file.write(Array(document.utf8), in: slot, slotSize: state?.size ?? 0)
            if written.isSynced {
                state = (Slots(holding: written.slot), written.slotSize)
            } else {
                state?.slots.didWrite(written.slot)
            }
        }
        return try #require(state)
    }

    private func found() throws -> [String] {
        try #require(try file.read()).documents.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func theBytesAreAsDocumented() throws {
        try write("{}", #"{"a":1}"#)
        let bytes = try #require(read(file.path))
        // The checksums were computed with Python: crc32(b'1 {}'), crc32(b'2 {"a":1}').
        #expect(bytes.count == 4 * 4096)
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        #expect(lines == ["1 b3e1ab84 {}", "2 d4cfed7d {\"a\":1}"])
        #expect(bytes[4096] == UInt8(ascii: "2"))
    }

    @Test func theNewestIsFoundFirst() throws {
        try write("a", "b", "c", "d", "e")
        #expect(try found().first == "e" && file.read()?.tornSlots == 0)
    }

    @Test func aLongDocumentGetsAFileWithGreaterSlots() throws {
        let long = String(repeating: "x", count: 80_000)
        let state = try write("a", "b", long)
        #expect(try state.size == 131_072 && found() == [long])
        #expect(folder.names(in: "slots") == ["door"])
    }

    @Test func aLineThatFillsItsSlotHasAnEnd() throws {
        let head = SlotFile.line([], generation: 2).count
        for length in 4093...4097 {
            try write("a", String(repeating: "x", count: length - head))
            #expect(try found().first?.count == length - head)
        }
    }

    @Test func noFlippedBitGoesUnnoticed() throws {
        try write("before", #"{"a":"after"}"#)
        let whole = try #require(read(file.path))
        let line = SlotFile.line(Array(#"{"a":"after"}"#.utf8), generation: 2)
        for bit in (4096 * 8)..<((4096 + line.count) * 8) {
            var flipped = whole
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            let contents = SlotFile.contents(of: flipped)
            #expect(contents.documents.map(\.bytes) == [Array("before".utf8)] && contents.tornSlots > 0)
        }
    }

    @Test func aLineTornAtAnyByteLeavesTheOneBefore() throws {
        try write("before", #"{"a":"after"}"#)
        let whole = try #require(read(file.path))
        let line = SlotFile.line(Array(#"{"a":"after"}"#.utf8), generation: 2)
        for (length, rest) in (1..<line.count).flatMap({ [($0, UInt8(0)), ($0, UInt8(ascii: "\n"))] }) {
            var torn = whole
            for place in length..<line.count { torn[4096 + place] = rest }
            let contents = SlotFile.contents(of: torn)
            #expect(contents.documents.map(\.bytes) == [Array("before".utf8)] && contents.tornSlots == 1)
        }
    }

    @Test(arguments: [0, 1, 100, 4096, 4097, 16_383]) func aFileOfAnotherLengthIsWrittenAnew(
        length: Int
    ) throws {
        try write("a", "b")
        StateStoreTests.write(Array(try #require(read(file.path)).prefix(length)), to: file.path)
        let contents = try #require(try file.read())
        #expect(contents.slotSize == (length == 4096 ? 0 : contents.slotSize))
        #expect(contents.documents.isEmpty == (length < 100))
        let next = Slots.Slot(index: 3, generation: 3)
        try #expect(file.write(Array("c".utf8), in: next, slotSize: 0).isSynced && found() == ["c"])
    }

    @Test func aFileThatIsGoneIsMadeAgainWithItsFolder() throws {
        let state = try write("a", "b")
        removeAll(folder.file("slots"))
        let written = try file.write(Array("c".utf8), in: state.slots.next, slotSize: state.size)
        #expect(try written.wasMissing && written.isSynced && found() == ["c"])
        #expect(written.slot == .init(index: 0, generation: 3))
    }

    @Test func aFileThatCannotBeWrittenIsNamed() throws {
        let state = try write("a")
        unlink(file.path)
        mkdir(file.path, 0o755)
        #expect(throws: FileError(doing: "open", path: file.path, code: EISDIR)) {
            _ = try file.write([], in: state.slots.next, slotSize: state.size)
        }
        #expect(file.syncError() == FileError(doing: "open", path: file.path, code: EISDIR))
    }

    @Test func aLongDocumentThatFindsNoRoomLeavesTheFile() throws {
        let state = try write("a", "b")
        mkdir(file.path + ".new", 0o755)
        #expect(throws: FileError.self) {
            let long = [UInt8](repeating: 0x78, count: 5000)
            _ = try file.write(long, in: state.slots.next, slotSize: state.size)
        }
        #expect(try found() == ["b", "a"])
    }
}
