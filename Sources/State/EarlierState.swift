internal import Base
internal import Glibc

/// What a version with a journal left: `<path>`, the generation before as `<path>.previous`, and the changes
/// after it in `<path>.journal`, which has zeros only after a clean stop.
package struct EarlierState: Sendable {
    /// JSON; nil: nothing is whole.
    package let document: [UInt8]?
    /// Whether no change of that version can be missing.
    package let hasAllChanges: Bool

    /// The document in `{"version":1,"checksum":"<CRC-32>","state":` + document + `}` + line feed; nil:
    /// something is wrong. The checksum is of the bytes as they stand in the file.
    static func document(in bytes: [UInt8]) -> [UInt8]? {
        let (head, middle) = (Array(#"{"version":1,"checksum":""#.utf8), Array(#"","state":"#.utf8))
        let start = head.count + 8 + middle.count
        guard bytes.count > start + 2, bytes.starts(with: head), bytes.suffix(2) == [0x7D, 0x0A] else {
            return nil
        }
        let document = bytes[start..<(bytes.count - 2)]
        let checksum = Checksum.hex(Checksum.crc32(document))
        return bytes[head.count..<start].elementsEqual(checksum + middle) ? Array(document) : nil
    }
}

extension SlotFolder {
    private var previous: String { path + ".previous" }
    private var journal: String { path + ".journal" }

    /// The state of a version with a journal. It is there until ``keepEarlierState()``, and wins over slots.
    ///
    /// - Parameter discardsJournal: what is whole is taken, though it may not be the newest.
    /// - Throws: ``StateStoreError/notStopped(path:)`` if the version was not stopped cleanly. Nothing is
    ///   changed then.
    package func earlierState(discardsJournal: Bool) throws(StateStoreError) -> EarlierState? {
        var found = try onDisk { () throws(FileError) in try Files.state(path) }.map { [$0] } ?? []
        // Beside slots it is a rest.
        if found.isEmpty, access(folder, F_OK) == 0 { return nil }
        if let bytes = try onDisk({ () throws(FileError) in try Files.state(previous) }) {
            found.append(bytes)
        }
        guard let newest = found.first else { return nil }
        let lines = try onDisk { () throws(FileError) in try Files.state(journal) }
        let hasLines = lines?.contains { $0 != 0 } ?? false
        let isWhole = EarlierState.document(in: newest) != nil
        guard isWhole && !hasLines || discardsJournal else { throw .notStopped(path: path) }
        return EarlierState(
            document: found.lazy.compactMap(EarlierState.document).first,
            hasAllChanges: isWhole && lines != nil && !hasLines)
    }

    /// Sets slots aside that are older than a state of a version with a journal. Returns their new path; nil:
    /// there are none.
    package func setSlotsAside() throws(StateStoreError) -> String? {
        access(folder, F_OK) == 0 ? try setAside(folder, as: "replaced") : nil
    }

    /// Keeps the state of a version with a journal as `<path>.before-slots`. Without its journal, that
    /// version begins above all revisions when it gets it back.
    package func keepEarlierState() throws(StateStoreError) {
        try onDisk { () throws(FileError) in
            let newest = access(path, F_OK) == 0 ? path : previous
            try Files.complete(newest, as: path + ".before-slots", replacing: true)
            for path in [previous, journal] { try Files.remove(path) }
        }
    }
}
