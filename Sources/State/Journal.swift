internal import Base
internal import CLinux
internal import Contract
internal import Glibc

/// The file of changes beside a snapshot: 1 MiB of which the disk has all blocks already, so that a line
/// costs one block, and is written even when the disk is full.
///
/// It has two areas. Lines of even generations are in the first, those of odd ones in the second. While the
/// snapshot of a generation is being written, its lines go to their area, and the area before still has what
/// follows the snapshot before. Unused bytes are zero.
///
/// Every call opens the file by its name, so that the next line fails when the file was removed or can't be
/// written any more.
struct Journal: Sendable {
    /// Bytes of the file.
    static let size = 1 << 20
    /// Bytes of an area.
    static let areaSize = size / 2
    /// Bytes that a disk writes as a whole.
    private static let blockSize = 4096

    let path: String

    /// Whether the file is there, with all its blocks.
    var isPrepared: Bool {
        var size: Int64 = 0
        var written: Int64 = 0
        return clinux_stat(path, &size, &written) == 0 && size == Self.size
    }

    /// Makes the file anew, without lines, and waits until the disk has it.
    ///
    /// - Throws: also when there is no room for all of it; then there is no file.
    func prepare() throws(StateStoreError) {
        do throws(FileError) {
            try Files.write([UInt8](repeating: 0, count: Self.size), to: path)
            try Files.sync(folderOf: path)
        } catch {
            _ = clinux_unlink(path)
            throw .file(error)
        }
    }

    /// Whether there is room for a line of this many bytes.
    static func hasRoom(for count: Int, at position: JournalPosition) -> Bool {
        position.offset + count <= areaSize
    }

    /// Writes lines into the area of their generation. The system has them then, but not yet the disk.
    func write(_ lines: [UInt8], at position: JournalPosition) throws(StateStoreError) {
        let place = off_t(Self.area(of: position.generation) + position.offset)
        try withFile { descriptor throws(FileError) in
            try Files.check(
                clinux_write_all_at(descriptor, lines, lines.count, place), doing: "write", path)
        }
    }

    /// Waits until the disk has all lines that were written.
    func sync() throws(StateStoreError) {
        try withFile { descriptor throws(FileError) in
            try Files.check(clinux_fdatasync(descriptor), doing: "sync", path)
        }
    }

    private func withFile(_ body: (Int32) throws(FileError) -> Void) throws(StateStoreError) {
        try onDisk { () throws(FileError) in try Files.withFile(path, O_WRONLY | O_NOFOLLOW, body) }
    }

    private func contents() throws(StateStoreError) -> [UInt8]? {
        try onDisk { () throws(FileError) in try Files.state(path) }
    }

    /// Overwrites the blocks that contain lines with zeros.
    func clear() throws(StateStoreError) {
        guard let bytes = try contents() else { return }
        let zeros = [UInt8](repeating: 0, count: Self.blockSize)
        try withFile { descriptor throws(FileError) in
            for place in stride(from: 0, to: bytes.count, by: Self.blockSize) {
                let block = bytes[place..<min(place + Self.blockSize, bytes.count)]
                if block.allSatisfy({ $0 == 0 }) { continue }
                try Files.check(
                    clinux_write_all_at(descriptor, zeros, block.count, off_t(place)), doing: "write", path)
            }
        }
    }

    /// What follows a snapshot.
    struct Lines {
        var patches: [JSON] = []
        /// Where the lines of the newest generation begin.
        var mark: JournalMark
        /// Behind the last line.
        var end: JournalPosition
    }

    /// The lines that follow a snapshot; nil: there is no journal.
    func read(after mark: JournalMark) throws(StateStoreError) -> Lines? {
        guard let position = JournalPosition(mark), let bytes = try contents(), bytes.count == Self.size
        else { return nil }
        var lines = Lines(mark: mark, end: position)
        readArea(of: bytes, into: &lines)
        // The next generation continues this one, if it was begun.
        var next = Lines(patches: lines.patches, mark: lines.end.next.mark, end: lines.end.next)
        readArea(of: bytes, into: &next)
        return next.end.lines > 0 ? next : lines
    }

    private func readArea(of bytes: [UInt8], into lines: inout Lines) {
        while let patch = JournalLine.decode(Self.rest(of: bytes, from: lines.end), at: &lines.end) {
            lines.patches.append(patch)
        }
    }

    private static func area(of generation: Int) -> Int { generation % 2 * areaSize }

    private static func rest(of bytes: [UInt8], from position: JournalPosition) -> ArraySlice<UInt8> {
        let area = area(of: position.generation)
        return bytes[(area + position.offset)..<(area + areaSize)]
    }
}
