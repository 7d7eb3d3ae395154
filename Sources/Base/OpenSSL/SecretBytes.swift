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
}
