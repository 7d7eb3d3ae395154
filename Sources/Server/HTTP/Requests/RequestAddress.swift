internal import Contract

/// The path and the query of a request, as far as the console uses them.
struct RequestAddress: Equatable {
    /// The parts of the path between its slashes. An address that ends in a slash has an empty last part.
    let parts: [String]
    private let query: String

    private static let maxBytes = 2048

    /// It is divided at bytes: a slash with a combining mark after it is still a slash.
    ///
    /// - Returns: nil if it is no path.
    init?(_ uri: String) {
        let bytes = uri.utf8
        guard bytes.count <= Self.maxBytes, bytes.first == UInt8(ascii: "/") else { return nil }
        let pieces = bytes.dropFirst().split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        parts = pieces[0].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        query = pieces.count > 1 ? String(Substring(pieces[1])) : ""
    }

    /// The value of a field of the query. Values are letters, digits, `-` and `_`; nothing is encoded.
    func value(of name: String) -> String? {
        for field in query.utf8.split(separator: UInt8(ascii: "&")) {
            let pair = field.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if pair.count == 2, pair[0].elementsEqual(name.utf8) { return String(Substring(pair[1])) }
        }
        return nil
    }

    /// The camera of an address such as `live/porch/door`.
    var camera: CameraAddress? { parts.count >= 3 ? CameraAddress("\(parts[1])/\(parts[2])") : nil }
}
