internal import Digests

/// The cookie of a page: the name of its token, its expiry and a code that only this console can make. The
/// code covers the hash of the token's secret: a token that is replaced or taken away makes its cookies
/// invalid.
package struct SessionCookie {
    package static let name = "v4l2mqtt_console"
    /// In seconds: 90 days.
    package static let lifetime = 90 * 86_400

    private let key: [UInt8]

    /// - Parameter key: 32 random bytes that the console keeps.
    package init(key: [UInt8]) { self.key = key }

    /// - Parameter time: seconds since 1970.
    package func value(for token: AccessToken, at time: Int) -> String {
        let expiry = time + Self.lifetime
        return "\(token.name).\(expiry).\(code(token, expiry))"
    }

    /// The token of a cookie; nil if it is forged, expired, or the token is gone.
    package func token(of value: String, in tokens: TokenList, at time: Int) -> AccessToken? {
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let expiry = Int(parts[1]), expiry > time, String(expiry) == parts[1],
            let token = tokens.token(named: String(parts[0])), token.use == .page,
            SecretBytes.areEqual(Array(parts[2].utf8), Array(code(token, expiry).utf8))
        else { return nil }
        return token
    }

    private func code(_ token: AccessToken, _ expiry: Int) -> String {
        let text = "\(token.name).\(expiry).\(token.sha256.lowercased())"
        return Base64URL.text(of: SHA256.authenticationCode(of: Array(text.utf8), key: key))
    }

    /// The cookie's value in a header `Cookie` (RFC 6265, 4.2.1).
    package static func value(inHeader header: String) -> String? {
        for pair in header.split(separator: ";") {
            let pair = pair.drop { $0 == " " }
            if let equals = pair.firstIndex(of: "="), pair[..<equals] == name {
                return String(pair[pair.index(after: equals)...])
            }
        }
        return nil
    }
}
