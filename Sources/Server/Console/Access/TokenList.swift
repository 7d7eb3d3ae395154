internal import Contract

/// Tells a file with tokens from one that has taken its place; without a file, all is 0.
package struct TokenVersion: Equatable, Sendable {
    private let inode: UInt
    /// When the file, its owner or its rights were changed.
    private let seconds, nanoseconds: Int

    package init(inode: UInt = 0, seconds: Int = 0, nanoseconds: Int = 0) {
        (self.inode, self.seconds, self.nanoseconds) = (inode, seconds, nanoseconds)
    }
}

/// All tokens of a console, as its file has them.
package struct TokenList: Equatable, Sendable {
    /// The largest number of tokens.
    private static let maxCount = 1000

    package private(set) var tokens: [AccessToken] = []

    package init() {}

    /// - Parameter file: the contents of the file: a JSON list.
    /// - Throws: ``AccessError`` if it is anything else, or if a token in it is invalid.
    package init(file: [UInt8]) throws(AccessError) {
        guard let list = JSON(file)?.list, let tokens = try? list.map({ try AccessToken($0, .lenient) })
        else {
            throw AccessError("it is no JSON list of tokens")
        }
        guard tokens.count <= Self.maxCount else {
            throw AccessError("it has more than \(Self.maxCount) tokens")
        }
        for token in tokens {
            try token.validate()
            guard !self.tokens.contains(where: { $0.name == token.name }) else {
                throw AccessError("it has two tokens with the name \(token.name)")
            }
            self.tokens.append(token)
        }
    }

    package var isEmpty: Bool { tokens.isEmpty }

    /// The contents of the file, a line for each token.
    package var file: [UInt8] {
        let lines = tokens.map { String(decoding: JSON.bytes($0), as: UTF8.self) }
        return Array("[\n\(lines.joined(separator: ",\n"))\n]\n".utf8)
    }

    /// Adds a token, or replaces the one of the same name.
    package mutating func set(_ token: AccessToken) {
        tokens.removeAll { $0.name == token.name }
        tokens.append(token)
    }

    /// - Returns: whether there was a token of this name.
    package mutating func remove(_ name: String) -> Bool {
        defer { tokens.removeAll { $0.name == name } }
        return tokens.contains { $0.name == name }
    }

    /// The tokens by the hashes of their secrets.
    var byHash: [String: AccessToken] {
        Dictionary(tokens.map { ($0.sha256.lowercased(), $0) }) { first, _ in first }
    }

    func token(named name: String) -> AccessToken? { tokens.first { $0.name == name } }
}
