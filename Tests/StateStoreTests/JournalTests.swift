import Glibc
import TestSupport
import Testing

@testable import Contract
@testable import State

/// The lines of the journal, as a crash or a power cut may leave them.
@Suite struct JournalTests {
    let folder = TemporaryFolder()
    var journal: Journal { Journal(path: folder.file("state.json.journal")) }
    let mark = JournalPosition(generation: 6, chain: 0xFEED_0001).mark

    private func patch(_ count: Int) -> JSON { .object(["counts": .object(["a": .integer(count)])]) }

    /// Writes one line for each count. Returns the position behind the last.
    private func write(
        _ counts: some Sequence<Int>, at position: JournalPosition
    ) throws -> JournalPosition {
        var position = position
        for count in counts {
            let place = position
            try journal.write(JournalLine.encode(patch(count), at: &position), at: place)
        }
        return position
    }

    private func begin() throws -> JournalPosition {
        try journal.prepare()
        return try #require(JournalPosition(mark))
    }

    @Test func theLinesAreAsDocumented() throws {
        var position = JournalPosition(generation: 12, chain: 0)
        let line = JournalLine.encode(patch(3), at: &position)
        // The checksum was computed with Python: crc32(b' 12 1 {…}', crc32(b'00000000')).
        #expect(String(decoding: line, as: UTF8.self) == "6d051957 12 1 {\"counts\":{\"a\":3}}\n")
    }

    /// Whatever text a patch contains, its line ends at the first line feed.
    @Test func anyPatchIsReadAsItWasWritten() throws {
        let strings = [
            "", "door", "a\"b\\c", "line\nfeed\t\u{1}\u{7F}", "Tür „offen“ 🚪", "a/b", "\u{2028}",
        ]
        let numbers: [JSON] = [
            .integer(0), .integer(.min), .integer(.max), .number(0.1), .number(-1e-300),
        ]
        let leaves = strings.map(JSON.text) + numbers + [.null, .flag(true), .flag(false)]
        var members: JSONObject = ["list": .list(leaves), "empty": .object([:]), "none": .list([])]
        for (index, string) in strings.enumerated() { members[string] = leaves[index] }
        for tree in leaves + [.object(members), .list([.object(members), .list([])])] {
            let start = JournalPosition(generation: 1, chain: 7)
            var (written, read) = (start, start)
            let line = JournalLine.encode(tree, at: &written)
            #expect(line.firstIndex(of: UInt8(ascii: "\n")) == line.count - 1)
            #expect(JournalLine.decode(line[...], at: &read) == tree && read == written)
        }
    }

    @Test func theLinesOfTwoGenerationsAreRead() throws {
        let end = try write(1...5, at: begin())
        let last = try write(6...9, at: end.next)
        let lines = try #require(try journal.read(after: mark))
        #expect(lines.patches == (1...9).map(patch))
        #expect(lines.end == last && lines.mark == end.next.mark)
        #expect(try journal.read(after: end.next.mark)?.patches == (6...9).map(patch))
    }

    @Test func aLineTornAtAnyByteEndsTheLines() throws {
        let end = try write(1...3, at: begin())
        let whole = try #require(read(journal.path))
        let start = try #require(JournalPosition(mark))
        var second = start
        _ = JournalLine.encode(patch(1), at: &second)
        _ = JournalLine.encode(patch(2), at: &second)
        for length in second.offset..<end.offset {
            var torn = whole
            for place in length..<end.offset { torn[place] = 0 }
            StateStoreTests.write(torn, to: journal.path)
            let lines = try #require(try journal.read(after: mark))
            #expect(lines.patches == [patch(1), patch(2)], "torn after \(length) bytes")
            #expect(lines.end == second)
        }
    }

    @Test func noFlippedBitGoesUnnoticed() throws {
        let end = try write(1...2, at: begin())
        let whole = try #require(read(journal.path))
        for bit in 0..<(end.offset * 8) {
            var flipped = whole
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            StateStoreTests.write(flipped, to: journal.path)
            let patches = try #require(try journal.read(after: mark)).patches
            #expect(patches.count < 2 && patches == Array([patch(1)].prefix(patches.count)), "bit \(bit)")
        }
    }

    /// The next line may take the place of a torn one with the same length: what remains behind it doesn't
    /// follow.
    @Test func aLineThatFollowsALostOneDoesNotCount() throws {
        let start = try begin()
        let second = try write(1...1, at: start)
        _ = try write(2...3, at: second)
        let lines = try write(7...7, at: second)
        let found = try #require(try journal.read(after: mark))
        #expect(found.patches == [patch(1), patch(7)])
        #expect(found.end == lines)
    }

    @Test func aGenerationThatFollowsALostLineDoesNotCount() throws {
        let start = try begin()
        let second = try write(1...1, at: start)
        let end = try write(2...2, at: second)
        _ = try write(3...3, at: end.next)
        try journal.write([0], at: second)
        #expect(try journal.read(after: mark)?.patches == [patch(1)])
    }

    @Test func linesOfAnEarlierGenerationDoNotCount() throws {
        let end = try write(1...5, at: begin())
        let other = try write(6...6, at: end.next)
        // Two generations later, the same area.
        #expect(try journal.read(after: other.next.mark)?.patches == [])
        let last = try write(7...7, at: other.next)
        let lines = try #require(try journal.read(after: other.next.mark))
        #expect(lines.patches == [patch(7)] && lines.end == last)
    }

    @Test func aFileOfAnotherSizeHasNoLines() throws {
        #expect(try journal.read(after: mark) == nil)
        StateStoreTests.write([1, 2, 3], to: journal.path)
        #expect(try journal.read(after: mark) == nil && !journal.isPrepared)
    }

    @Test func aClearedJournalHasNoLines() throws {
        let end = try write(1...100, at: begin())
        _ = try write(1...100, at: end.next)
        try journal.clear()
        #expect(try #require(read(journal.path)).allSatisfy { $0 == 0 })
        #expect(journal.isPrepared)
    }
}

@Suite struct MergePatchTests {
    /// The examples of RFC 7386, appendix A, as far as they are objects.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
        (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]) func aPatchIsMergedAsTheStandardSays(original: String, patch: String, result: String) throws {
        var tree = try parse(original)
        try tree.merge(parse(patch))
        #expect(try tree == parse(result))
    }

    @Test func aPatchLeadsFromOneValueToTheOther() throws {
        let values = try [
            "{}", #"{"a":1}"#, #"{"a":1,"b":{"c":2.5,"d":[1,2]}}"#, #"{"b":{"d":[2],"e":"x"}}"#,
            #"{"a":{"b":true}}"#, #"{"b":"text"}"#,
        ].map(parse)
        for from in values {
            for to in values {
                var tree = from
                guard let patch = from.patch(to: to) else {
                    #expect(from == to)
                    continue
                }
                tree.merge(patch)
                #expect(tree == to)
            }
        }
    }

    @Test(arguments: [0, -0.0, 1, 2.5, -3, 0.1, 1e-7, 999_999_999_999_999, 1e15, 1e300, 1.0 / 3])
    func aNumberIsReadAsItWas(number: Double) throws {
        #expect(try JSON(encoding: number).decoded(as: Double.self) == number)
        #expect(throws: (any Error).self) { try JSON(encoding: Double.infinity) }
    }

    private func parse(_ text: String) throws -> JSON { try JSON(reading: Array(text.utf8)) }
}
