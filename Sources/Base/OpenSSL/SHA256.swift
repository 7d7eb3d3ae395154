internal import COpenSSL

/// SHA-256 (FIPS 180-4) of data that comes in parts, and of bytes at once.
package struct SHA256: ~Copyable {
    /// The length of a hash in bytes.
    package static let byteCount = Int(COPENSSL_SHA256_BYTES)

    /// Freed by `deinit`.
    private let digest: OpaquePointer

    package init() {
        guard let digest = copenssl_sha256_new() else {
            // Without it TLS would not work either: the installation of OpenSSL is damaged.
            fatalError("OpenSSL has no SHA-256, or no memory")
        }
        self.digest = digest
    }

    deinit { copenssl_sha256_free(digest) }

    /// Adds bytes at the end of the data.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        precondition(
            copenssl_sha256_update(digest, bytes.baseAddress, bytes.count), "OpenSSL failed to hash")
    }

    /// Adds bytes at the end of the data.
    package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    /// The hash of all data.
    package consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { hash, count in
            precondition(
                copenssl_sha256_finish(digest, hash.baseAddress), "OpenSSL failed to complete a hash")
            count = Self.byteCount
        }
    }

    /// The hash of bytes.
    package static func hash(of bytes: [UInt8]) -> [UInt8] {
        var digest = SHA256()
        digest.update(bytes)
        return digest.finish()
    }
}

extension SHA256 {
    /// The authentication code of bytes: HMAC with SHA-256 (RFC 2104).
    ///
    /// - Parameter key: of any length; 32 random bytes are as strong as the code.
    package static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
            precondition(
                copenssl_hmac_sha256(key, key.count, bytes, bytes.count, code.baseAddress),
                "OpenSSL failed to make an authentication code")
            count = byteCount
        }
    }
}
