internal import Contract

/// Where the lines of a generation begin: the snapshot contains everything before.
struct JournalMark: Codable, Sendable, Equatable {
    /// The number of the snapshot. Lines of this generation and of the next one follow it.
    let generation: Int
    /// The checksum of the last line before, 8 hexadecimal digits.
    let chain: String
}

/// A place in the journal, and the checksum that the next line continues.
struct JournalPosition: Sendable, Equatable {
    var generation: Int
    /// Lines of this generation so far.
    var lines = 0
    var chain: UInt32
    /// Bytes of this generation so far.
    var offset = 0

    init(generation: Int, chain: UInt32) { (self.generation, self.chain) = (generation, chain) }

    init?(_ mark: JournalMark) {
        guard let chain = UInt32(mark.chain, radix: 16), mark.generation > 0 else { return nil }
        self.init(generation: mark.generation, chain: chain)
    }

    /// What a snapshot of everything up to here contains, so that the lines from here on follow it.
    var mark: JournalMark {
        JournalMark(generation: generation, chain: String(decoding: Checksum.hex(chain), as: UTF8.self))
    }

    /// The beginning of the next generation.
    var next: JournalPosition { JournalPosition(generation: generation + 1, chain: chain) }
}

/// A line of the journal: checksum, generation, number, patch, line feed, e.g.
/// `1f00a3c2 12 1 {"cameras":{"hall":{"factor":2.5}}}`.
///
/// The checksum covers the checksum of the line before and the rest of the line. A line that remains from an
/// earlier generation, or that follows a lost one, therefore never counts.
enum JournalLine {
    private static let checksumLength = 8
    private static let space = UInt8(ascii: " ")
    private static let lineFeed = UInt8(ascii: "\n")

    /// Encodes a patch as the next line, and moves the position behind it.
    static func encode(_ patch: JSON, at position: inout JournalPosition) -> [UInt8] {
        var rest = Array(" \(position.generation) \(position.lines + 1) ".utf8)
        rest += JSON.canonicalBytes(patch)
        position.chain = checksum(rest, after: position.chain)
        let line = Checksum.hex(position.chain) + rest + [lineFeed]
        position.lines += 1
        position.offset += line.count
        return line
    }

    /// Decodes the line at the start of these bytes, and moves the position behind it. Nil: there is no whole
    /// line that continues the position.
    static func decode(_ bytes: ArraySlice<UInt8>, at position: inout JournalPosition) -> JSON? {
        guard let end = bytes.firstIndex(of: lineFeed), end - bytes.startIndex > checksumLength else {
            return nil
        }
        let rest = bytes[(bytes.startIndex + checksumLength)..<end]
        let chain = checksum(rest, after: position.chain)
        guard bytes.prefix(checksumLength).elementsEqual(Checksum.hex(chain)) else { return nil }
        let fields = rest.dropFirst().split(separator: space, maxSplits: 2)
        guard fields.count == 3,
            fields[0].elementsEqual(String(position.generation).utf8),
            fields[1].elementsEqual(String(position.lines + 1).utf8),
            let patch = JSON(Array(fields[2]))
        else { return nil }
        position.chain = chain
        position.lines += 1
        position.offset += end + 1 - bytes.startIndex
        return patch
    }

    private static func checksum(_ rest: some Sequence<UInt8>, after chain: UInt32) -> UInt32 {
        Checksum.crc32(rest, after: Checksum.crc32(Checksum.hex(chain)))
    }
}
