internal import Base
package import Contract

/// A copy of a photo or a recording, part by part, to a local file.
struct MediaCopy {
    /// Bytes of one request.
    static let partBytes = MediaSet.longestPart

    /// As the agent has described it, with its version and its hash.
    let file: MediaFields
    let path: String
    /// The bytes in the local file.
    private(set) var copied = 0
    /// Whether the local file had a part already, which may be one of another version.
    private(set) var isResumed = false

    /// The local file is open, and has so many bytes.
    mutating func opened(_ bytes: Int) { (copied, isResumed) = (bytes, bytes > 0) }

    mutating func append(_ bytes: Int) { copied += bytes }

    var rest: Int { file.bytes - copied }

    /// The request of the next part.
    var request: JSONObject {
        [
            "get": .text(file.name), "offset": .integer(copied),
            "length": .integer(min(Self.partBytes, rest)), "version": file.version.map(JSON.text),
        ]
    }

    var written: WrittenCopy { WrittenCopy(path: path, bytes: file.bytes, sha256: file.sha256) }
}

/// A local file that is complete, as it is printed as JSON.
struct WrittenCopy: Equatable {
    let path: String
    let bytes: Int
    var sha256: String?

    var json: JSON {
        .object(["path": .text(path), "bytes": .integer(bytes), "sha256": sha256.map(JSON.text)])
    }

    func line(json: Bool) -> PrintableLine { json ? JSON.line(self.json) : "\(path), \(bytes) bytes" }
}

/// What is done with the local file of a copy, one after the other.
package enum CopyStep: Sendable, Equatable {
    /// Opens the part that an interrupted copy has left, or makes an empty one, for a file of so many bytes.
    case open(path: String, replaces: Bool, bytes: Int)
    /// Empties the part.
    case restart
    case append([UInt8])
    /// Compares the hash, and gives the part its name if it is this one.
    case finish(sha256: String)
}

/// The result of a ``CopyStep``.
package enum CopyResult: Sendable, Equatable {
    /// After ``CopyStep/open(path:replaces:bytes:)`` and ``CopyStep/restart``: the bytes of the part.
    case opened(bytes: Int)
    case appended
    case complete
    /// The hash is another one. The part is as it was.
    case differs
    case failed(CommandError)
}

/// A list of files, page by page.
struct MediaListing {
    let kind: MediaKind?
    let limit: Int
    private(set) var found: [MediaFields] = []
    private(set) var next: String?

    /// The request of the next page.
    var request: JSONObject {
        let list: JSONObject = [
            "kind": kind.map { .text($0.rawValue) }, "before": next.map(JSON.text),
            "limit": .integer(min(100, limit - found.count)),
        ]
        return ["list": .object(list)]
    }

    /// Adds a page. Returns whether a further one is needed.
    mutating func add(_ page: [MediaFields], next: String?) -> Bool {
        found += page.prefix(limit - found.count)
        self.next = next
        // A page without files would be requested for ever.
        return next != nil && !page.isEmpty && found.count < limit
    }
}
