import Testing

@testable import Server

@Suite struct PageOutboxTests {
    private func text(_ content: PageOutbox.Content?) -> String? {
        guard case .text(let bytes)? = content else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func state(_ node: String) -> PageOutbox.Key { .state(camera("porch/door"), node: node) }

    @Test func ofAStateOnlyTheNewestWaits() {
        var outbox = PageOutbox()
        outbox.add(Array("zoom 1".utf8), replacing: state("zoom"))
        outbox.add(Array("answer 1".utf8))
        outbox.add(Array("lease 1".utf8), replacing: state("lease"))
        outbox.add(Array("zoom 2".utf8), replacing: state("zoom"))
        outbox.add(Array("answer 2".utf8))
        outbox.add(Array("zoom 3".utf8), replacing: state("zoom"))
        #expect(text(outbox.takeFirst()) == "zoom 3")
        outbox.add(Array("zoom 4".utf8), replacing: state("zoom"))
        var rest: [String] = []
        while let content = outbox.takeFirst() { rest.append(text(content)!) }
        #expect(rest == ["answer 1", "lease 1", "answer 2", "zoom 4"])
        #expect(outbox.isEmpty)
    }

    @Test func answersAndFilesKeepTheirOrder() {
        var outbox = PageOutbox()
        outbox.add(Array("accepted".utf8))
        outbox.add(header: [1], file: [2])
        outbox.add(Array("done".utf8))
        #expect(text(outbox.takeFirst()) == "accepted")
        guard case .file(header: [1], [2])? = outbox.takeFirst() else { return #expect(Bool(false)) }
        #expect(text(outbox.takeFirst()) == "done")
        #expect(outbox.takeFirst() == nil)
    }

    @Test func moreThanAMebibyteOfTextIsTooMuch() {
        var outbox = PageOutbox()
        for _ in 0..<1024 { outbox.add([UInt8](repeating: 0, count: 1024)) }
        #expect(!outbox.isFull)
        outbox.add([0])
        #expect(outbox.isFull)
        _ = outbox.takeFirst()
        #expect(!outbox.isFull)
    }

    @Test func aStateThatIsReplacedCountsOnce() {
        var outbox = PageOutbox()
        for _ in 0..<100 { outbox.add([UInt8](repeating: 0, count: 64 << 10), replacing: state("info")) }
        #expect(!outbox.isFull)
        #expect(outbox.storedCount == 1)
    }

    @Test func oneFileMayBeLargeAndSeveralMayNot() {
        var outbox = PageOutbox()
        outbox.add(header: [], file: [UInt8](repeating: 0, count: 20 << 20))
        #expect(!outbox.isFull)
        outbox.add(header: [], file: [0])
        #expect(outbox.isFull)
        _ = outbox.takeFirst()
        #expect(!outbox.isFull)
    }

    /// A page that never reads everything: what was sent is not kept.
    @Test func whatWasTakenNeedsNoMemory() {
        var outbox = PageOutbox()
        outbox.add([0])
        for number in 0..<10_000 {
            outbox.add(Array("event \(number)".utf8))
            if number % 3 == 0 { outbox.add(Array("zoom \(number)".utf8), replacing: state("zoom")) }
            _ = outbox.takeFirst()
            if number % 3 == 1 { _ = outbox.takeFirst() }
        }
        #expect(outbox.storedCount < 20_000 / 3)
        while outbox.takeFirst() != nil {}
        #expect(outbox.isEmpty && outbox.storedCount == 0)
    }

    /// The same as a list that is searched each time.
    @Test func itIsAListWhereStatesAreReplaced() {
        var chance = Chance(seed: 2)
        var outbox = PageOutbox(), expected: [(key: String?, text: String)] = []
        for number in 0..<5_000 {
            if Bool.random(using: &chance) {
                let node = ["zoom", "lease", "info", nil].randomElement(using: &chance)!
                let text = "\(node ?? "answer") \(number)"
                outbox.add(Array(text.utf8), replacing: node.map(state))
                if let place = node.flatMap({ node in expected.firstIndex { $0.key == node } }) {
                    expected[place].text = text
                } else {
                    expected.append((node, text))
                }
            } else {
                #expect(text(outbox.takeFirst()) == (expected.isEmpty ? nil : expected.removeFirst().text))
            }
        }
    }
}
