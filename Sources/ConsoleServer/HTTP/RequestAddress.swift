internal import Console

/// The path and the query of a request, as far as the console uses them.
struct RequestAddress: Equatable {
    /// The parts of the path between its slashes. An address that ends in a slash has an empty last part.
    let parts: [String]
    private let query: String

    private static let maxBytes = 2048

    /// - Returns: nil if it is no path.
    init?(_ uri: String) {
        guard uri.utf8.count <= Self.maxBytes, uri.utf8.first == UInt8(ascii: "/") else { return nil }
        let pieces = uri.dropFirst().split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        parts = pieces[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        query = pieces.count > 1 ? String(pieces[1]) : ""
    }

    /// The value of a field of the query. Values are letters, digits, `-` and `_`; nothing is encoded.
    func value(of name: String) -> String? {
        for field in query.split(separator: "&") {
            let pair = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2, pair[0] == name { return String(pair[1]) }
        }
        return nil
    }

    /// The camera of an address such as `live/porch/door`.
    var camera: CameraName? { parts.count >= 3 ? CameraName(agent: parts[1], camera: parts[2]) : nil }
}
