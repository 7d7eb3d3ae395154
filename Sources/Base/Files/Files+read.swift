internal import CLinux
internal import Glibc

extension Files {
    private static let partBytes = 65_536

    /// The first bytes of a file.
    ///
    /// - Parameters:
    ///   - limit: at most so many bytes; to notice a file that is longer, one more than are wanted.
    ///   - isOwn: whether it is a file of this program: a symbolic link is not followed then, and nothing is
    ///     awaited at a pipe.
    package static func read(
        _ path: String, atMost limit: Int = .max, isOwn: Bool = false
    ) throws(FileError) -> [UInt8] {
        let flags = O_RDONLY | (isOwn ? O_NONBLOCK | O_NOFOLLOW : 0)
        return try withFile(path, flags) { descriptor throws(FileError) in
            var bytes: [UInt8] = []
            var part = [UInt8](repeating: 0, count: min(limit, partBytes))
            while bytes.count < limit {
                let count = clinux_read(descriptor, &part, min(part.count, limit - bytes.count))
                try check(Int32(count), doing: "read", path)
                if count == 0 { break }
                bytes += part.prefix(count)
            }
            return bytes
        }
    }

    /// Calls `body` with the parts of an open file from its beginning, one after the other.
    ///
    /// - Parameters:
    ///   - path: of the file, for the error.
    ///   - limit: at most so many bytes.
    /// - Returns: how many bytes there were.
    package static func eachPart(
        of descriptor: Int32, _ path: String, atMost limit: Int = .max,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(FileError) -> Int {
        var part = [UInt8](repeating: 0, count: min(1 << 20, max(1, limit)))
        var position = 0
        while position < limit {
            let count = clinux_read_at(
                descriptor, &part, min(part.count, limit - position), off_t(position))
            try check(Int32(count), doing: "read", path)
            if count == 0 { break }
            part.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            position += count
        }
        return position
    }
}
