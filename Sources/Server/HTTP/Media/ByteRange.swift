/// The part of a file that a browser wants, from its header `Range` (RFC 9110, 14.2).
enum ByteRange: Equatable {
    case all
    case from(Int, to: Int?)
    case last(Int)

    /// - Returns: ``all`` for headers that a server may ignore: several ranges, and other units.
    init(header: String?) {
        guard let header, header.hasPrefix("bytes="), !header.contains(",") else {
            self = .all
            return
        }
        let ends = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else {
            self = .all
            return
        }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let from?, let to?): self = from >= 0 && to >= from ? .from(from, to: to) : .all
        case (let from?, nil): self = from >= 0 && ends[1].isEmpty ? .from(from, to: nil) : .all
        case (nil, let count?) where ends[0].isEmpty && count >= 0: self = .last(count)
        default: self = .all
        }
    }

    /// The bytes of a file; nil: there are none.
    ///
    /// - Parameter total: the size of the file, from 0.
    func bytes(of total: Int) -> Range<Int>? {
        switch self {
        case .all: return 0..<total
        case .from(let from, let to):
            guard from < total else { return nil }
            return from..<(min(total - 1, to ?? total - 1) + 1)
        case .last(let count): return count > 0 && total > 0 ? max(0, total - count)..<total : nil
        }
    }
}
