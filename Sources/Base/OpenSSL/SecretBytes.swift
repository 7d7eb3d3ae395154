internal import COpenSSL

/// Bytes that others must not guess: keys, tokens and codes.
package enum SecretBytes {
    /// Random bytes of the kernel. Blocks only if the machine has just been started and the kernel has no
    /// random numbers yet.
    package static func random(count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = copenssl_random(&bytes, count)
        // Its errors are a wrong address and a kernel without it (before Linux 3.17).
        precondition(result == 0, "getrandom failed: \(result)")
        return bytes
    }

    /// Whether two secrets are the same. The time depends on their lengths only.
    package static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && copenssl_are_equal(a, b, a.count)
    }
}
