internal import Base

/// The cookie of a page: the name of its token, its expiry and a code that only this console can make. The
/// code covers the hash of the token's secret: a token that is replaced or removed makes its cookies
/// invalid.
struct SessionCookie: Sendable {
    /// In seconds: 90 days.
    static let lifetime = 90 * 86_400

    /// In seconds: one day.
    private static let renewalAge = 86_400

    /// Of this console only: a browser sends the cookies of a host to all ports of it. It follows from the
    /// key, so it stays the same when the console is started anew or listens on another port.
    let name: String
    private let key: [UInt8]

    /// The bytes of the code that makes the name different for each console.
    private static let nameBytes = 4

    /// - Parameter key: 32 random bytes that the console keeps.
    init(key: [UInt8]) {
        self.key = key
        // No cookie is signed with this text: it has no full stop.
        let code = SHA256.authenticationCode(of: Array("the name of the cookie".utf8), key: key)
        name = "v4l2mqtt_console_\(Hexadecimal.text(of: code.prefix(Self.nameBytes)))"
    }

    /// - Parameter time: seconds since 1970.
    func value(for token: AccessToken, at time: Int) -> String {
        let expiry = time + Self.lifetime
        return "\(token.name).\(expiry).\(code(token, expiry))"
    }

    /// The token of a cookie; nil if it is forged, expired, or the token is gone.
    func token(of value: String, in tokens: TokenList, at time: Int) -> AccessToken? {
        content(of: value, in: tokens, at: time)?.token
    }

    /// A new value in place of one that was made more than a day ago: a device that is used stays signed in.
    /// Nil: the value is forged or expired, or not that old.
    func renewed(_ value: String, in tokens: TokenList, at time: Int) -> String? {
        guard let (token, expiry) = content(of: value, in: tokens, at: time),
            expiry - time < Self.lifetime - Self.renewalAge
        else { return nil }
        return self.value(for: token, at: time)
    }

    private func content(
        of value: String, in tokens: TokenList, at time: Int
    ) -> (token: AccessToken, expiry: Int)? {
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let expiry = Int(parts[1]), expiry > time, String(expiry) == parts[1],
            let token = tokens.token(named: String(parts[0])), token.use == .page,
            SecretBytes.areEqual(Array(parts[2].utf8), Array(code(token, expiry).utf8))
        else { return nil }
        return (token, expiry)
    }

    private func code(_ token: AccessToken, _ expiry: Int) -> String {
        let text = "\(token.name).\(expiry).\(token.sha256.lowercased())"
        return Base64URL.text(of: SHA256.authenticationCode(of: Array(text.utf8), key: key))
    }

    /// The cookie's value in a header `Cookie` (RFC 6265, 4.2.1).
    func value(inHeader header: String) -> String? {
        for pair in header.split(separator: ";") {
            let pair = pair.drop { $0 == " " }
            if let equals = pair.firstIndex(of: "="), pair[..<equals] == name {
                return String(pair[pair.index(after: equals)...])
            }
        }
        return nil
    }
}
