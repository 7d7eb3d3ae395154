internal import Base
package import Contract

/// A token that admits a device, without the secret itself: only its hash is kept.
package struct AccessToken: Equatable, Sendable {
    /// What a token is for.
    package enum Use: String, FieldWord, Sendable {
        /// Pages, which keep it as a cookie.
        case page
        /// Addresses of `live` and `snapshot`, which are written to logs: it shows pictures and nothing else.
        case url
        /// The metrics, and nothing else.
        case metrics
    }

    /// The name of the device: the client in commands. 1 to 64 of `[a-z0-9_-]`.
    package var name: String
    package var role: Role
    /// Patterns of the cameras that exist for this token.
    package var cameras: [String]
    package var use: Use
    /// SHA-256 of the secret, hexadecimal.
    var sha256: String

    /// The number of random bytes of a secret.
    private static let secretBytes = 16

    /// A new token, and its secret, which is not kept.
    ///
    /// - Throws: ``AccessError`` for a name or a pattern that can't be one.
    package static func make(
        name: String, role: Role, cameras: [String], use: Use
    ) throws(AccessError) -> (token: AccessToken, secret: String) {
        let secret = Base64URL.text(of: SecretBytes.random(count: secretBytes))
        let token = AccessToken(
            name: name, role: role, cameras: cameras, use: use, sha256: hash(of: secret))
        try token.validate()
        return (token, secret)
    }

    /// Checks what a person may have written into the file.
    func validate() throws(AccessError) {
        guard Topics.isName(name) else {
            throw AccessError("the name of a token is 1 to 64 of a-z, 0-9, _ and -: “\(name)”")
        }
        guard !cameras.isEmpty, cameras.allSatisfy({ CameraPattern($0) != nil }) else {
            throw AccessError("token \(name): cameras are patterns such as porch/*, or * for all")
        }
        guard use != .url || role == .look else {
            throw AccessError("token \(name): a token for addresses has the role look")
        }
        guard (use == .metrics) == (role == .metrics) else {
            throw AccessError("token \(name): a token for metrics has the role metrics, and no other has it")
        }
        guard use != .metrics || cameras == ["*"] else {
            throw AccessError("token \(name): a token for metrics is for all cameras")
        }
        guard Hexadecimal.bytes(of: sha256)?.count == SHA256.byteCount else {
            throw AccessError("token \(name): sha256 is 64 hexadecimal digits")
        }
    }

    /// The hash by which a token is found.
    static func hash(of secret: String) -> String {
        Hexadecimal.text(of: SHA256.hash(of: Array(secret.utf8)))
    }
}

extension AccessToken: Form {
    package init(_ f: inout some FormVisitor<Self>) {
        name = f("name", \.name, .any, "Of the device: the client in commands.")
        role = f("role", \.role, .any, "What it may do.")
        cameras = f("cameras", \.cameras, .each(.any), "Patterns of the cameras that exist for it.")
        use = f("use", \.use, .any, "For pages, for addresses, or for the metrics.")
        sha256 = f("sha256", \.sha256, .any, "Of the secret.")
    }
}
