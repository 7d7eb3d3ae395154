internal import Base
internal import CLinux
internal import Glibc

/// A file with four slots of equal size. A slot is a line, padded with line feeds:
/// `<generation> <CRC-32, 8 hex digits> <document>`; the checksum is of the rest of the line.
/// `sort -n FILE | tail -1` shows the newest.
///
/// The disk has all blocks from the beginning, so that a line is written even when the disk is full. Every
/// call opens the file by its name, so that a write fails when the file was removed or can't be written any
/// more.
package struct SlotFile: Sendable {
    /// Bytes of the smallest slot: what a disk writes as a whole.
    static let smallestSlot = 4096
    private static let lineFeed = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    /// What a file contains.
    package struct Contents: Sendable {
        /// The documents that are whole, the newest first.
        package internal(set) var documents: [Document] = []
        /// Slots that are neither whole nor empty: a power cut leaves one, if it was being written.
        package internal(set) var tornSlots = 0
        /// Bytes of a slot; 0: the file has another form, and is written anew.
        var slotSize = 0
    }

    package struct Document: Sendable {
        package let bytes: [UInt8]
        let slot: Slots.Slot
    }

    /// What became of a write.
    struct Written: Sendable {
        var slot: Slots.Slot
        var slotSize: Int
        /// The file was made anew, and the disk has it.
        var isSynced = false
        /// It was missing.
        var wasMissing = false
    }

    let path: String

    // MARK: Lines

    static func line(_ document: [UInt8], generation: Int) -> [UInt8] {
        let number = Array("\(generation) ".utf8)
        let checksum = Checksum.crc32(document, after: Checksum.crc32(number))
        return number + Checksum.hex(checksum) + [space] + document
    }

    private static func document(of line: ArraySlice<UInt8>) -> (generation: Int, bytes: [UInt8])? {
        let parts = line.split(separator: space, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let generation = Int(String(decoding: parts[0], as: UTF8.self)),
            1...1 << 53 ~= generation
        else { return nil }
        let document = Array(parts[2])
        return self.line(document, generation: generation).elementsEqual(line) ? (generation, document) : nil
    }

    static func contents(of bytes: [UInt8]) -> Contents {
        var contents = Contents()
        let size = bytes.count / Slots.count
        if size > 0, size % smallestSlot == 0, bytes.count % Slots.count == 0 { contents.slotSize = size }
        for line in bytes.split(separator: lineFeed) {
            if let (generation, document) = document(of: line) {
                let slot = Slots.Slot(index: line.startIndex / max(size, 1), generation: generation)
                contents.documents.append(Document(bytes: document, slot: slot))
            } else {
                contents.tornSlots += 1
            }
        }
        contents.documents.sort { $0.slot.generation > $1.slot.generation }
        return contents
    }

    // MARK: The disk

    /// Nil: there is no file.
    func read() throws(FileError) -> Contents? { try Files.state(path).map(Self.contents) }

    /// Writes a document into a slot. Where it is too long for that, or the file is missing, the file is
    /// replaced by a new one.
    ///
    /// - Parameters:
    ///   - slotSize: of the file as it is; 0: it has to be made anew.
    ///   - isTorn: the file has torn slots, and is made anew. Where the disk has no room for that, the slot
    ///     is written, and they remain.
    func write(
        _ document: [UInt8], in slot: Slots.Slot, slotSize: Int, isTorn: Bool = false
    ) throws(FileError) -> Written {
        let line = Self.line(document, generation: slot.generation)
        if isTorn, let written = try? replace(with: line, slot, slotSize: slotSize) { return written }
        guard line.count < slotSize else { return try replace(with: line, slot, slotSize: slotSize) }
        let padded = line + [UInt8](repeating: Self.lineFeed, count: slotSize - line.count)
        do throws(FileError) {
            try Files.withFile(path, O_WRONLY | O_NOFOLLOW) { descriptor throws(FileError) in
                let place = off_t(slot.index * slotSize)
                try Files.check(
                    clinux_write_all_at(descriptor, padded, padded.count, place), doing: "write", path)
            }
        } catch {
            guard error.isMissing else { throw error }
            return try replace(with: line, slot, slotSize: slotSize, wasMissing: true)
        }
        return Written(slot: slot, slotSize: slotSize)
    }

    /// Makes the file anew, with one line. When this returns, the disk has it.
    private func replace(
        with line: [UInt8], _ slot: Slots.Slot, slotSize: Int, wasMissing: Bool = false
    ) throws(FileError) -> Written {
        var size = max(slotSize, Self.smallestSlot)
        while size <= line.count { size *= 2 }
        let folder = Files.folder(of: path)
        try Files.makeFolder(folder)
        try Files.replace(
            path, with: line + [UInt8](repeating: Self.lineFeed, count: size * Slots.count - line.count))
        try Files.sync(folderOf: folder)
        return Written(
            slot: Slots.Slot(index: 0, generation: slot.generation), slotSize: size, isSynced: true,
            wasMissing: wasMissing)
    }

    /// Waits until the disk has all that was written. Returns why it hasn't.
    func syncError() -> FileError? {
        do throws(FileError) {
            try Files.withFile(path, O_WRONLY | O_NOFOLLOW) { descriptor throws(FileError) in
                try Files.check(clinux_fdatasync(descriptor), doing: "sync", path)
            }
            return nil
        } catch {
            return error
        }
    }
}
