internal import NIOHTTP1

/// What a request wants of a file, with its conditions (RFC 9110, 13 and 14.2).
struct MediaConditions {
    enum Result: Equatable {
        /// The browser has this version.
        case unchanged
        case whole
        case part(Range<Int>)
        /// The file has none of the bytes.
        case beyond
    }

    private let range: ByteRange
    private let ifNoneMatch: String
    private let ifRange: String?

    init(_ request: HTTPRequestHead) {
        let headers = request.headers
        range = ByteRange(header: request.method == .HEAD ? nil : headers.first(name: "Range"))
        ifNoneMatch = headers["If-None-Match"].joined(separator: ",")
        ifRange = headers.contains(name: "If-Range") ? headers["If-Range"].joined(separator: ",") : nil
    }

    /// Whether the response is probably made of the first bytes of the file.
    var wantsFirstBytes: Bool { ifNoneMatch.isEmpty && range.bytes(of: Int.max)?.lowerBound == 0 }

    /// - Parameters:
    ///   - total: the size of the file, from 0.
    ///   - tag: its entity tag, which is a strong one; nil: it has none.
    func result(total: Int, tag: String?) -> Result {
        if isKnown(tag) { return .unchanged }
        // A date in `If-Range` is no date of this file: responses have no `Last-Modified`.
        guard range != .all, ifRange == nil || ifRange == tag else { return .whole }
        return range.bytes(of: total).map { .part($0) } ?? .beyond
    }

    /// The comparison is the weak one.
    private func isKnown(_ tag: String?) -> Bool {
        if ifNoneMatch == "*" { return true }
        // Every second text is between quotation marks, which no tag contains.
        let texts = ifNoneMatch.split(separator: "\"", omittingEmptySubsequences: false)
        return texts.enumerated().contains { $0.offset % 2 == 1 && tag == "\"\($0.element)\"" }
    }
}
